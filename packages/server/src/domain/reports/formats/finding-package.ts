import {
  buildPackageUrl,
  type FindingPackage,
  type FindingWithoutPackage,
  findingPackage,
  parsePackageUrl,
} from '../../findings/package-url.ts'
import { ecosystemOf, ecosystemOfFile, packageIn } from './fields/ecosystems.ts'
import { objectOf, objectsOf, textOf } from './fields/json-fields.ts'
import type { JsonObject, ReportFinding } from './report.ts'

/** Returns the package of a reported finding. Called only for findings that are stored, because parsing costs time. */
export function packageOf({ package: stated, location }: ReportFinding): FindingPackage | undefined {
  const name = textOf(objectOf(objectOf(location.dependency)?.package)?.name)
  if (stated === undefined) return findingPackage(undefined, name)
  return findingPackage(typeof stated === 'string' ? parsePackageUrl(stated) : buildPackageUrl(stated), name)
}

/**
 * Returns the package of a stored finding, from its location and the entry of its report. It may lack the URL that the
 * report stated outside the entry.
 */
export function packageOfStored({ location, rawMetadata }: FindingWithoutPackage): FindingPackage | undefined {
  const { file, dependency } = location as JsonObject // stored as JSON
  const name = textOf(objectOf(objectOf(dependency)?.package)?.name)
  if (!name) return undefined
  const entry = parsed(rawMetadata)
  const version = textOf(objectOf(dependency)?.version)
  const ecosystem = ecosystemIn(entry, name) ?? ecosystemOfFile(textOf(file) ?? '')
  const stated = packageUrlIn(entry)
  const parts = packageIn(ecosystem, name, version)
  return findingPackage(stated ? parsePackageUrl(stated) : parts && buildPackageUrl(parts), name)
}

function parsed(rawMetadata: string | null): JsonObject {
  if (rawMetadata === null) return {}
  try {
    return objectOf(JSON.parse(rawMetadata)) ?? {}
  } catch {
    return {} // an entry of another format
  }
}

/** Returns the package URL in an entry of Grype, Trivy or CycloneDX. */
function packageUrlIn({ artifact, PkgIdentifier, affects }: JsonObject): string | undefined {
  const stated = textOf(objectOf(artifact)?.purl) ?? textOf(objectOf(PkgIdentifier)?.PURL)
  const [affected, ...others] = objectsOf(affects)
  const ref = others.length === 0 ? textOf(affected?.ref) : undefined
  return stated ?? (ref?.startsWith('pkg:') ? ref : undefined)
}

/** Returns the ecosystem in an entry of OSV-Scanner or Snyk. */
function ecosystemIn({ affected, packageManager }: JsonObject, name: string) {
  const ofPackage = objectsOf(affected).map((one) => objectOf(one.package))
  return ecosystemOf(textOf(ofPackage.find((one) => one?.name === name)?.ecosystem) ?? textOf(packageManager))
}
