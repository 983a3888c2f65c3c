import { Ajv2020 } from 'ajv/dist/2020.js'

// What the standards of OpenVEX 0.2.0 and CSAF 2.0 require of documents, in our words, and stricter: fields that Alcove
// does not write are refused, so that a misspelt one is noticed.

const text = { type: 'string', minLength: 1 } as const
const url = { type: 'string', pattern: '^https?://' } as const
const time = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$',
} as const
const purl = { type: 'string', pattern: '^pkg:[a-z][a-z0-9.+-]*/.+' } as const

/** An object with these fields, of which the names after `required` must be present. */
const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
})
const list = (items: object, minItems = 1) => ({ type: 'array', items, minItems, uniqueItems: true })
const when = (properties: object, then: object) => ({ if: { properties, required: Object.keys(properties) }, then })

const openVexStatement = {
  ...object(
    {
      '@id': url,
      vulnerability: object({ name: text, aliases: list(text) }, ['name']),
      products: list(
        object({
          '@id': { type: 'string', format: 'iri' },
          subcomponents: list(object({ '@id': purl, identifiers: object({ purl }) })),
        }),
      ),
      status: { enum: ['not_affected', 'affected', 'fixed', 'under_investigation'] },
      status_notes: text,
      justification: {
        enum: [
          ...['component_not_present', 'vulnerable_code_not_present', 'vulnerable_code_not_in_execute_path'],
          ...['vulnerable_code_cannot_be_controlled_by_adversary', 'inline_mitigations_already_exist'],
        ],
      },
      impact_statement: text,
      action_statement: text,
      action_statement_timestamp: time,
      timestamp: time,
    },
    ['@id', 'vulnerability', 'products', 'status', 'timestamp'],
  ),
  allOf: [
    when(
      { status: { const: 'not_affected' } },
      { oneOf: [{ required: ['justification'] }, { required: ['impact_statement'] }] },
    ),
    when({ status: { const: 'affected' } }, { required: ['action_statement'] }),
    ...['justification', 'impact_statement'].map((name) => ({
      anyOf: [{ not: { required: [name] } }, { properties: { status: { const: 'not_affected' } } }],
    })),
  ],
}

const openVex = object({
  '@context': { const: 'https://openvex.dev/ns/v0.2.0' },
  '@id': { type: 'string', format: 'iri' },
  author: text,
  timestamp: time,
  version: { type: 'integer', minimum: 1 },
  tooling: text,
  statements: list(openVexStatement, 0),
})

const productIds = list(text)
const note = object({ category: { enum: ['description', 'summary'] }, text })
const statuses = ['fixed', 'known_affected', 'known_not_affected', 'under_investigation']

const csafVulnerability = {
  ...object(
    {
      cve: { type: 'string', pattern: '^CVE-[0-9]{4}-[0-9]{4,}$' },
      ids: list(object({ system_name: text, text })),
      notes: list(note),
      product_status: {
        ...object(Object.fromEntries(statuses.map((name) => [name, productIds])), []),
        minProperties: 1,
      },
      release_date: time,
      flags: list(
        object({
          label: {
            enum: [
              ...['component_not_present', 'vulnerable_code_not_present', 'vulnerable_code_not_in_execute_path'],
              ...['vulnerable_code_cannot_be_controlled_by_adversary', 'inline_mitigations_already_exist'],
            ],
          },
          product_ids: productIds,
        }),
      ),
      threats: list(object({ category: { const: 'impact' }, details: text, product_ids: productIds })),
      remediations: list(
        object({
          category: { enum: ['mitigation', 'no_fix_planned', 'none_available', 'vendor_fix', 'workaround'] },
          details: text,
          product_ids: productIds,
        }),
      ),
    },
    ['ids', 'notes', 'product_status'],
  ),
  allOf: [
    // The profile VEX: an action statement for what is affected, an impact statement for what is not.
    when({ product_status: { required: ['known_affected'] } }, { required: ['remediations'] }),
    when(
      { product_status: { required: ['known_not_affected'] } },
      { anyOf: [{ required: ['flags'] }, { required: ['threats'] }] },
    ),
  ],
}

const csafDocument = object({
  category: { enum: ['csaf_vex', 'csaf_base'] },
  csaf_version: { const: '2.0' },
  title: text,
  publisher: object({
    category: { enum: ['coordinator', 'discoverer', 'other', 'translator', 'user', 'vendor'] },
    name: text,
    namespace: url,
  }),
  notes: list(note),
  tracking: object({
    id: { type: 'string', pattern: '^\\S(.*\\S)?$' },
    status: { enum: ['draft', 'final', 'interim'] },
    version: { type: 'string', pattern: '^[1-9]\\d*$' },
    initial_release_date: time,
    current_release_date: time,
    revision_history: list(object({ date: time, number: { type: 'string', pattern: '^\\d+$' }, summary: text })),
    generator: object({ engine: object({ name: text, version: text }) }),
  }),
})

const product = object({ product_id: text, name: text, product_identification_helper: object({ purl }) }, [
  'product_id',
  'name',
])

const csaf = {
  ...object(
    {
      document: csafDocument,
      vulnerabilities: list(csafVulnerability),
      product_tree: object({ full_product_names: list(product) }),
    },
    ['document'],
  ),
  ...when(
    { document: { properties: { category: { const: 'csaf_vex' } }, required: ['category'] } },
    { required: ['vulnerabilities', 'product_tree'] },
  ),
}

const ajv = new Ajv2020({ allErrors: true, strict: false, formats: { iri: /^[a-z][a-z0-9+.-]*:\S+$/i } })
const checks = { openvex: ajv.compile(openVex), csaf: ajv.compile(csaf) }

/** Returns what is wrong with an exported document, with the place of each problem. */
export function vexProblems(format: 'openvex' | 'csaf', document: unknown): string[] {
  const check = checks[format]
  if (check(document)) return format === 'csaf' ? referenceProblems(document as Csaf) : []
  return (check.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  )
}

/** What a schema cannot say: references lead to products, and ids are unique. */
function referenceProblems({ product_tree: tree, vulnerabilities = [] }: Csaf): string[] {
  const names = tree?.full_product_names.map(({ product_id: id }) => id) ?? []
  const known = new Set(names)
  const used = vulnerabilities.flatMap((one) => [
    ...Object.values(one.product_status).flat(),
    ...[...(one.flags ?? []), ...(one.threats ?? []), ...(one.remediations ?? [])].flatMap((part) => part.product_ids),
  ])
  const cves = vulnerabilities.flatMap(({ cve }) => cve ?? [])
  return [
    ...used.filter((id) => !known.has(id)).map((id) => `${id} is no product of the document`),
    ...(known.size < names.length ? ['the document has a product twice'] : []),
    ...(new Set(cves).size < cves.length ? ['the document has a CVE twice'] : []),
  ]
}

interface Csaf {
  product_tree?: { full_product_names: { product_id: string }[] }
  vulnerabilities?: CsafVulnerability[]
}
interface CsafVulnerability {
  cve?: string
  product_status: Record<string, string[]>
  flags?: { product_ids: string[] }[]
  threats?: { product_ids: string[] }[]
  remediations?: { product_ids: string[] }[]
}
