import { GraphQLError } from 'graphql'
import type { VulnerabilityWithFinding } from '../../../domain/vulnerabilities/vulnerability.ts'
import type { Context } from '../context.ts'

const common = `
  "Key of the detail in the report; null in lists."
  fieldName: String
  name: String
  description: String`

export const detailTypes = `
"A detail that the scanner added to its finding; the type depends on the type in the report."
union VulnerabilityDetail = VulnerabilityDetailBase | VulnerabilityDetailBoolean | VulnerabilityDetailCode
  | VulnerabilityDetailCodeFlows | VulnerabilityDetailCommit | VulnerabilityDetailDiff | VulnerabilityDetailFileLocation
  | VulnerabilityDetailInt | VulnerabilityDetailList | VulnerabilityDetailMarkdown | VulnerabilityDetailModuleLocation
  | VulnerabilityDetailNamedList | VulnerabilityDetailTable | VulnerabilityDetailText | VulnerabilityDetailUrl
"A detail of another type."
type VulnerabilityDetailBase {${common}
}
type VulnerabilityDetailBoolean {${common}
  value: Boolean!
}
type VulnerabilityDetailCode {${common}
  lang: String
  value: String!
}
type VulnerabilityDetailCodeFlows {${common}
  items: [[VulnerabilityDetailCodeFlowNode!]!]!
}
type VulnerabilityDetailCodeFlowNode {
  fileLocation: VulnerabilityDetailFileLocation
  nodeType: CodeFlowNodeType
}
enum CodeFlowNodeType { SOURCE PROPAGATION SINK }
type VulnerabilityDetailCommit {${common}
  value: String!
}
type VulnerabilityDetailDiff {${common}
  after: String!
  before: String!
}
type VulnerabilityDetailFileLocation {${common}
  fileName: String!
  lineEnd: Int!
  lineStart: Int!
}
type VulnerabilityDetailInt {${common}
  value: Int!
}
type VulnerabilityDetailList {${common}
  items: [VulnerabilityDetail!]!
}
type VulnerabilityDetailMarkdown {${common}
  value: String!
}
type VulnerabilityDetailModuleLocation {${common}
  moduleName: String!
  offset: Int!
}
type VulnerabilityDetailNamedList {${common}
  items: [VulnerabilityDetailNamedListItem!]!
}
type VulnerabilityDetailNamedListItem {
  fieldName: String
  name: String
  value: VulnerabilityDetail!
}
type VulnerabilityDetailTable {${common}
  headers: [VulnerabilityDetail!]!
  rows: [VulnerabilityDetailRow!]!
}
type VulnerabilityDetailRow { row: [VulnerabilityDetail!]! }
type VulnerabilityDetailText {${common}
  value: String!
}
type VulnerabilityDetailUrl {${common}
  href: String!
  text: String
}`

type Item = Record<string, unknown>
/** Fields of a detail. Nested details are functions, which the default resolvers call only when they are requested. */
type Fields = Record<string, unknown>

/** Returns the details of a finding in the shape of GitLab's schema. */
export function viewDetails({ finding }: VulnerabilityWithFinding, _: unknown, context: Context): Fields[] {
  return viewNamed(finding.details as Item, context) // it is a JSON object
}

function viewNamed(details: Item, context: Context): Fields[] {
  return Object.entries(details).flatMap(([name, value]): Fields[] => [viewDetail(value, name, context) ?? []].flat())
}

function viewAll(values: unknown, context: Context): Fields[] {
  return listOf(values).flatMap((value): Fields[] => [viewDetail(value, null, context) ?? []].flat())
}

/** Returns undefined for what is not an object. Details without the values of their type have the type `Base`. */
function viewDetail(value: unknown, fieldName: string | null, context: Context): Fields | undefined {
  const item = objectOf(value)
  if (!item) return undefined
  takeDetail(context)
  const typed = typedFields(item)
  const base = { fieldName, name: text(item['name']), description: text(item['description']) }
  return { __typename: `VulnerabilityDetail${typed ? typed[0] : 'Base'}`, ...base, ...typed?.[1] }
}

/** Maximum number of details in one response. Reports hold any number of them, which the cost of a document does not know. */
const maxDetails = 20_000

function takeDetail(context: Context): void {
  context.details.count++
  if (context.details.count > maxDetails) {
    throw new GraphQLError(`The response has more than ${maxDetails} details. Request fewer nodes with \`first\``)
  }
}

/** Returns the name of the type and the values; undefined for an unknown type and without the values that it requires. */
function typedFields(item: Item): [string, Fields] | undefined {
  const { type, value } = item
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? ['Boolean', { value }] : undefined
    case 'int':
      return isInt(value) ? ['Int', { value }] : undefined
    case 'code':
      return typeof value === 'string' ? ['Code', { value, lang: text(item['lang']) }] : undefined
    case 'commit':
      return typeof value === 'string' ? ['Commit', { value }] : undefined
    case 'markdown':
      return typeof value === 'string' ? ['Markdown', { value }] : undefined
    case 'text':
      return typeof value === 'string' ? ['Text', { value }] : undefined
    case 'url':
      return typeof item['href'] === 'string' ? ['Url', { href: item['href'], text: text(item['text']) }] : undefined
    case 'diff':
      return viewDiff(item)
    case 'file-location':
      return viewFile(item)
    case 'module-location':
      return viewModule(item)
    default:
      return listFields(item)
  }
}

function listFields(item: Item): [string, Fields] | undefined {
  const { type, items } = item
  switch (type) {
    case 'list':
      return ['List', { items: (_: unknown, context: Context) => viewAll(items, context) }]
    case 'named-list':
      return ['NamedList', { items: (_: unknown, context: Context) => viewItems(objectOf(items) ?? {}, context) }]
    case 'table':
      return [
        'Table',
        {
          headers: (_: unknown, context: Context) => viewAll(item['header'], context),
          rows: (_: unknown, context: Context) => listOf(item['rows']).map((row) => viewRow(row, context)),
        },
      ]
    case 'code-flows':
      return ['CodeFlows', { items: (_: unknown, context: Context) => viewFlows(items, context) }]
    default:
      return undefined
  }
}

function viewRow(row: unknown, context: Context): Fields {
  takeDetail(context)
  return { row: (_: unknown, context: Context) => viewAll(row, context) }
}

const viewItems = (items: Item, context: Context) =>
  viewNamed(items, context).map((value) => ({ fieldName: value['fieldName'], name: value['name'], value }))

function viewFlows(flows: unknown, context: Context): Fields[][] {
  return listOf(flows).map((flow) =>
    listOf(flow).flatMap((node) => {
      const item = objectOf(node)
      if (!item) return []
      takeDetail(context)
      const location = objectOf(item['file_location'])
      const nodeType = nodeTypes.find((type) => type === text(item['node_type'])?.toUpperCase())
      return { fileLocation: (location && viewFile(location)?.[1]) ?? null, nodeType: nodeType ?? null }
    }),
  )
}

const nodeTypes = ['SOURCE', 'PROPAGATION', 'SINK']

function viewDiff({ before, after }: Item): [string, Fields] | undefined {
  return typeof before === 'string' && typeof after === 'string' ? ['Diff', { before, after }] : undefined
}

function viewFile(item: Item): [string, Fields] | undefined {
  const { file_name: fileName, line_start: lineStart, line_end: lineEnd = lineStart } = item
  if (typeof fileName !== 'string' || !isInt(lineStart) || !isInt(lineEnd)) return undefined
  return ['FileLocation', { fileName, lineStart, lineEnd }]
}

function viewModule({ module_name: moduleName, offset }: Item): [string, Fields] | undefined {
  return typeof moduleName === 'string' && isInt(offset) ? ['ModuleLocation', { moduleName, offset }] : undefined
}

/** Whether GraphQL's `Int` has the value. */
const isInt = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) === ((value as number) | 0) // integers are numbers

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function objectOf(value: unknown): Item | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Item) : undefined // checked
}
