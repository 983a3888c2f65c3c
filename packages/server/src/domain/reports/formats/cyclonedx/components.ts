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

/** Returns a lookup for components by reference within the document, or by a BOM-Link. */
export function indexComponents(root: JsonObject): (ref: string) => Component | undefined {
  const byRef = new Map<string, JsonObject>()
  const metadata = objectOf(root.metadata)
  const pending = [metadata?.component, ...objectsOf(root.components), ...objectsOf(root.services)]
  for (let at = 0; at < pending.length; at++) {
    const component = objectOf(pending[at])
    if (!component) continue
    const ref = component['bom-ref']
    if (typeof ref === 'string' && !byRef.has(ref)) byRef.set(ref, component)
    for (const inner of objectsOf(component.components)) pending.push(inner)
  }
  return (ref) => {
    const component = byRef.get(ref) ?? byRef.get(linkedRef(ref) ?? '')
    return component ? describeComponent(component) : fromPackageUrl(ref)
  }
}

function describeComponent(component: JsonObject): Component {
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
