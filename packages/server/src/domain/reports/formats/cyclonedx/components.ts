import { objectOf, objectsOf, textOf } from '../json-fields.ts'
import type { JsonObject } from '../report.ts'
import { decodedUri } from '../uri.ts'

export interface Component {
  name: string
  version: string
  /** The file that names it or that it is, when the bill says so. */
  file: string | undefined
}

/** Finds a component by its reference within the bill, or by a link from another bill. */
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
  }
}

/** Where scanners write the path of a component. */
const fileProperties = ['aquasecurity:trivy:FilePath', 'aquasecurity:trivy:PkgPath', 'syft:location:0:path', 'SrcFile']

/** The reference at the end of a link to another bill: `urn:cdx:…/1#ref`. */
function linkedRef(ref: string): string | undefined {
  const hash = ref.startsWith('urn:cdx:') ? ref.indexOf('#') : -1
  return hash < 0 ? undefined : decodedUri(ref.slice(hash + 1))
}

/** Many references are package URLs, which say enough by themselves. */
function fromPackageUrl(ref: string): Component | undefined {
  const path = /^pkg:[^/]+\/([^?#]+)/.exec(linkedRef(ref) ?? ref)?.[1]
  if (path === undefined) return undefined
  const at = path.lastIndexOf('@')
  const name = decodedUri(at > 0 ? path.slice(0, at) : path)
  return { name, version: at > 0 ? decodedUri(path.slice(at + 1)) : '', file: undefined }
}
