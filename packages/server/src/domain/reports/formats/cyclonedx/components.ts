import { splitPackageUrl } from '../../../findings/package-url.ts'
import { objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { decodedUri } from '../fields/uri.ts'
import type { JsonObject } from '../report.ts'

export interface Component {
  name: string
  version: string
  /** Path of the component, or of the file that declares it, if stated. */
  file: string | undefined
  packageUrl: string | undefined
}

/** Components by reference. Only those that vulnerabilities may refer to, described. */
export interface ComponentIndex {
  /** Adds a component with the components inside, and returns all of them. */
  add(component: JsonObject): JsonObject[]
  /** Finds a component by a reference within the document, or by a BOM-Link. */
  of(ref: string): Component | undefined
}

/** Starts an index with the subject and the services of the document. */
export function indexComponents(root: JsonObject): ComponentIndex {
  const byRef = new Map<string, Component>()
  const add = (outer: unknown): JsonObject[] => {
    const pending = [outer]
    const added: JsonObject[] = []
    for (let at = 0; at < pending.length; at++) {
      const component = objectOf(pending[at])
      if (!component) continue
      const ref = component['bom-ref']
      if (typeof ref === 'string' && !byRef.has(ref)) byRef.set(ref, describeComponent(component))
      added.push(component)
      for (const inner of objectsOf(component.components)) pending.push(inner)
    }
    return added
  }
  add(objectOf(root.metadata)?.component)
  for (const service of objectsOf(root.services)) add(service)
  return { add, of: (ref) => byRef.get(ref) ?? byRef.get(linkedRef(ref) ?? '') ?? fromPackageUrl(ref) }
}

export function describeComponent(component: JsonObject): Component {
  const group = textOf(component.group)
  const name = textOf(component.name) ?? ''
  const occurrence = objectsOf(objectOf(component.evidence)?.occurrences)[0]
  const named = objectsOf(component.properties).find(({ name }) => fileProperties.includes(String(name)))
  return {
    name: group ? `${group}/${name}` : name,
    version: textOf(component.version) ?? '',
    file: textOf(occurrence?.location) ?? textOf(named?.value),
    packageUrl: textOf(component.purl),
  }
}

/** Properties in which scanners store the path of a component. */
const fileProperties = ['aquasecurity:trivy:FilePath', 'aquasecurity:trivy:PkgPath', 'syft:location:0:path', 'SrcFile']

/** Returns the reference at the end of a BOM-Link: `urn:cdx:…/1#ref`. */
function linkedRef(ref: string): string | undefined {
  const hash = ref.startsWith('urn:cdx:') ? ref.indexOf('#') : -1
  return hash < 0 ? undefined : decodedUri(ref.slice(hash + 1))
}

/** Derives a component from its reference, if that is a package URL. Keeps its spelling, as scanners report names. */
function fromPackageUrl(ref: string): Component | undefined {
  const url = linkedRef(ref) ?? ref
  const parts = splitPackageUrl(url)
  if (!parts) return undefined
  const { namespace, name, version = '' } = parts
  return { name: namespace ? `${namespace}/${name}` : name, version, file: undefined, packageUrl: url }
}
