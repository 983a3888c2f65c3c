import { createRequire } from 'node:module'
import type * as PackageUrls from 'packageurl-js'

/** A package URL in its canonical form. */
export interface PackageUrl {
  /** With version, qualifiers and subpath, if there are any. */
  url: string
  /** Without them: the same for all versions of a package. */
  key: string
  type: string
  namespace: string | undefined
  name: string
  version: string | undefined
}

/** Parts of a package URL that is built. */
export interface PackageParts {
  type: string
  namespace?: string | undefined
  name: string
  version?: string | undefined
}

/** The package of a finding, as it is stored. */
export interface FindingPackage {
  /** Undefined if the ecosystem of the package is not known for certain. */
  url: string | undefined
  key: string | undefined
  /** Name in lower case without its namespace. */
  name: string
}

/** Content of a finding from which its package is derived. */
export interface FindingWithoutPackage {
  id: number
  location: object
  /** Null if it is too long to be worth reading. */
  rawMetadata: string | null
}

/** Maximum length of a package URL. Indexes cannot contain texts of any length. */
const maxUrl = 1000

/** Parses a package URL. Returns `undefined` if it is invalid. */
export function parsePackageUrl(text: string): PackageUrl | undefined {
  if (!text.startsWith('pkg:') || text.length > maxUrl) return undefined
  return canonical(({ PackageURL }) => PackageURL.fromString(text))
}

/** Builds a package URL. Returns `undefined` if the parts are not valid for the type. */
export function buildPackageUrl({ type, namespace, name, version }: PackageParts): PackageUrl | undefined {
  return canonical(
    ({ PackageURL }) => new PackageURL(type, namespace, name, version || undefined, undefined, undefined),
  )
}

function canonical(make: (library: typeof PackageUrls) => PackageUrls.PackageURL): PackageUrl | undefined {
  try {
    const made = make(loadLibrary())
    const url = made.toString()
    const { type, namespace, name, version } = made
    if (url.length > maxUrl || !type || !name) return undefined
    // Within names and namespaces these characters are percent-encoded.
    const key = url.slice(0, url.search(/[@?#]|$/))
    return { url, key, type, namespace: namespace ?? undefined, name, version: version ?? undefined }
  } catch {
    return undefined
  }
}

/** Returns namespace, name and version of a package URL in its own spelling, or `undefined` if it is invalid. */
export function splitPackageUrl(text: string): Omit<PackageParts, 'type'> | undefined {
  if (!text.startsWith('pkg:')) return undefined
  try {
    const [, namespace, name, version] = loadLibrary().PackageURL.parseString(text)
    return name ? { namespace: namespace ?? undefined, name, version: version ?? undefined } : undefined
  } catch {
    return undefined
  }
}

const maxName = 255

/** Returns a package as it is stored with a finding: its URL if that is known, else only its name. */
export function findingPackage(known: PackageUrl | undefined, name: string | undefined): FindingPackage | undefined {
  if (known) return { url: known.url, key: known.key, name: storedName(known.name) }
  const last = name && splitName(name).name
  return last ? { url: undefined, key: undefined, name: storedName(last) } : undefined
}

export const storedName = (name: string): string => name.slice(0, maxName).toWellFormed().toLowerCase()

/** Splits a name such as `@scope/name`, `vendor/name` or `group:artifact`. */
export function splitName(text: string): { namespace: string | undefined; name: string } {
  const [, namespace, name] = /^(.+)[/:]([^/:]+)$/.exec(text.trim()) ?? []
  return name === undefined ? { namespace: undefined, name: text.trim() } : { namespace, name }
}

/** Loads the parser on first use, because it takes a tenth of a start. */
const loadLibrary = (): typeof PackageUrls => createRequire(import.meta.url)('packageurl-js')
