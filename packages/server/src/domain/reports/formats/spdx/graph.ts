import { objectOf, objectsOf, textOf, textsOf } from '../fields/json-fields.ts'
import { type DependencyDraft, type Inventory, startDependencies } from '../inventory.ts'
import type { JsonObject } from '../report.ts'
import type { OpenOptions } from '../report-format.ts'
import { statedLicenses } from './licenses.ts'

/** The packages of an SPDX 3 graph, whose licenses are elements of their own. */
interface Graph {
  packages: { id: string; draft: DependencyDraft; pointer: string }[]
  /** License expressions by the id of their element. */
  expressions: Map<string, string>
  /** Ids of license elements by package; concluded ones replace declared ones. */
  concluded: Map<string, string>
  declared: Map<string, string>
  /** Ids of the elements that the document describes. */
  roots: Set<string>
  name: string
}

/** Reads the elements of an SPDX 3 document, in any order. */
export function readGraph({ tally }: Pick<OpenOptions, 'tally'>): Inventory {
  const graph: Graph = {
    packages: [],
    expressions: new Map(),
    concluded: new Map(),
    declared: new Map(),
    roots: new Set(),
    name: '',
  }
  return {
    get source() {
      return graph.name
    },
    read: (entry, { pointer }) => readElement(graph, entry, pointer),
    list() {
      const dependencies = startDependencies(tally)
      for (const { id, draft, pointer } of graph.packages) {
        if (graph.roots.has(id)) continue
        const licenses = [graph.concluded.get(id), graph.declared.get(id)].map((license) =>
          license === undefined ? undefined : graph.expressions.get(license),
        )
        dependencies.add({ ...draft, licenses: statedLicenses(...licenses) }, pointer)
      }
      return dependencies.all()
    },
  }
}

function readElement(graph: Graph, element: JsonObject, pointer: string): void {
  const id = textOf(element.spdxId) ?? textOf(element['@id']) ?? ''
  const type = textOf(element.type) ?? textOf(element['@type']) ?? ''
  if (type === 'software_Package') addPackage(graph, element, id, pointer)
  else if (type === 'simplelicensing_LicenseExpression') {
    graph.expressions.set(id, textOf(element.simplelicensing_licenseExpression) ?? '')
  } else if (type === 'expandedlicensing_ListedLicense') {
    graph.expressions.set(id, textOf(element.name) ?? id.slice(id.lastIndexOf('/') + 1))
  } else if (type === 'Relationship') addRelationship(graph, element)
  else if (type === 'SpdxDocument' || type === 'software_Sbom') {
    for (const root of textsOf(element.rootElement)) graph.roots.add(root)
    if (type === 'SpdxDocument') graph.name = textOf(element.name) ?? ''
  }
}

function addPackage(graph: Graph, element: JsonObject, id: string, pointer: string): void {
  const identifier = objectsOf(element.externalIdentifier).find(
    ({ externalIdentifierType }) => externalIdentifierType === 'packageUrl',
  )
  const packageUrl = textOf(element.software_packageUrl) ?? textOf(objectOf(identifier)?.identifier)
  const purpose = textOf(element.software_primaryPurpose)
  if (packageUrl === undefined && purpose !== undefined && purpose !== 'library' && purpose !== 'framework') return
  const draft = {
    name: textOf(element.name) ?? '',
    version: textOf(element.software_packageVersion) ?? '',
    packageUrl,
    licenses: [],
  }
  graph.packages.push({ id, draft, pointer })
}

function addRelationship(graph: Graph, { from, to, relationshipType }: JsonObject): void {
  const [license] = textsOf(to)
  const source = textOf(from)
  if (source === undefined || license === undefined) return
  if (relationshipType === 'hasConcludedLicense') graph.concluded.set(source, license)
  else if (relationshipType === 'hasDeclaredLicense') graph.declared.set(source, license)
}
