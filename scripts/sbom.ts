import { createHash } from 'node:crypto'

/** Part of `package-lock.json` that a bill of materials needs. */
export interface LockFile {
  packages: Record<string, LockedPackage>
}

interface LockedPackage {
  name?: string
  version?: string
  license?: string
  integrity?: string
  link?: boolean
  resolved?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** Folders whose dependencies are bundled into the package or installed with it. */
const roots = ['', 'packages/server', 'packages/cli', 'packages/client', 'packages/web']

/** Creates the software bill of materials of a release: a CycloneDX 1.6 document with every package that it contains. */
export function createSbom(lock: LockFile, version: string): object {
  const places = reachable(lock)
  const components = [...places].sort().flatMap((place) => componentOf(place, lock.packages[place]))
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialNumberOf(JSON.stringify([version, components])),
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': `pkg:npm/alcove@${version}`,
        name: 'alcove',
        version,
        purl: `pkg:npm/alcove@${version}`,
        licenses: [{ license: { id: 'MIT' } }],
      },
    },
    components,
    vulnerabilities: [],
  }
}

/** Returns the places of all packages that the roots need, directly or indirectly, by Node's rules of resolution. */
function reachable(lock: LockFile): Set<string> {
  const found = new Set<string>()
  const waiting = [...roots]
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { dependencies, optionalDependencies } = lock.packages[place] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const resolved = resolve(lock, place, name)
      if (resolved === undefined || lock.packages[resolved]?.link || found.has(resolved)) continue
      found.add(resolved)
      waiting.push(resolved)
    }
  }
  return found
}

/** Searches the folder of a package and every folder above it. */
function resolve(lock: LockFile, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : '') {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (lock.packages[place]) return place
    if (folder === '') return undefined
  }
}

function componentOf(place: string, locked: LockedPackage | undefined): object[] {
  if (!locked?.version) return []
  const name = locked.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const purl = `pkg:npm/${name.replace('@', '%40')}@${locked.version}`
  const digest = /^sha512-(\S+)$/.exec(locked.integrity ?? '')?.[1]
  return [
    {
      type: 'library',
      'bom-ref': `${purl}#${place}`,
      name,
      version: locked.version,
      purl,
      ...(locked.license && { licenses: [licenseOf(locked.license)] }),
      ...(digest && { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
    },
  ]
}

function licenseOf(text: string): object {
  return /[ ()]/.test(text) ? { expression: text } : { license: { name: text } }
}

/** Returns a number that depends on the content alone, so that a release can be repeated byte for byte. */
function serialNumberOf(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex')
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4]
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`]
  return `urn:uuid:${parts.join('-')}-${hex.slice(20, 32)}`
}
