import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { testEngine } from '../../../testing/databases/database.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const formats = ['openvex', 'cyclonedx', 'csaf'] as const
type Format = (typeof formats)[number]
const reasons = ['acceptable_risk', 'false_positive', 'mitigating_control', 'used_in_tests', 'not_applicable'] as const

const scanner = { id: 'a', name: 'A', version: '1', vendor: { name: 'V' } }
const reportOf = (vulnerabilities: object[]) => ({
  version: '15.2.1',
  scan: {
    ...{ type: 'dependency_scanning', status: 'success', analyzer: scanner, scanner },
    ...{ start_time: '2026-05-01T09:00:00', end_time: '2026-05-01T09:01:00' },
  },
  vulnerabilities,
})

/** Packages whose names need escapes in one of the formats, or have no package URL. */
const packages = ['@example/parser', 'plain', 'org/of/parts', 'with space & <tag>', 'größe"\\']

/** Returns a finding; two of them have the same CVE in the same package. */
const dependency = (index: number, file: string, fields: object = {}) => {
  const cve = `CVE-2099-${1000 + Math.floor(index / 2)}`
  return {
    id: `${index} ${file}`,
    name: `Flaw ${index}`,
    severity: 'High',
    identifiers: [
      { type: 'cve', name: cve, value: cve },
      { type: 'ghsa', name: `GHSA-aaaa-bbbb-cc${10 + index}`, value: `GHSA-aaaa-bbbb-cc${10 + index}` },
    ],
    location: {
      file,
      dependency: { package: { name: packages[Math.floor(index / 2) % packages.length] }, version: '1.2.0' },
    },
    ...fields,
  }
}

interface Row {
  id: number
  state: string
  dismissal_reason: string | null
}

async function rowsOf({ admin }: TestServer, project: TestProject, ref?: string): Promise<Row[]> {
  const query = ref ? `&ref=${ref}` : ''
  const { body } = await admin.get(`/projects/${project.id}/vulnerabilities?per_page=100&sort=detected_asc${query}`)
  return body
}

async function exported(server: TestServer, path: string, input: object) {
  const { body } = await server.admin.post(`/security/${path}/vulnerability_exports`, input)
  await server.runJobs()
  const file = await server.admin.get(`/security/vulnerability_exports/${body.id}/download`)
  expect(file.status).toBe(200)
  return JSON.parse(file.text)
}

async function send({ admin }: TestServer, project: TestProject, document: object, fields: Record<string, string>) {
  const form = new FormData()
  form.set('file', new Blob([JSON.stringify(document)]), 'vex.json')
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return admin.post(`/projects/${project.id}/vex`, form)
}

/** A decision about a vulnerability, as the body of a request and its path. */
const decision = fc.oneof(
  fc.constant({ action: 'revert' }),
  fc.constant({ action: 'confirm' }),
  fc.constant({ action: 'resolve' }),
  fc.record({ action: fc.constant('dismiss'), dismissal_reason: fc.constantFrom(...reasons) }),
  fc.record({
    action: fc.constantFrom('confirm', 'resolve', 'dismiss'),
    comment: fc.constantFrom(
      'Looked at.',
      'a "quoted" \\ text',
      ' \u2028 line',
      'ünï 💥',
      '</script>',
      'x'.repeat(2000),
    ),
  }),
)

let server: TestServer
let projects: [TestProject, TestProject]
const clock = { now: '2026-05-01T10:00:00.000Z' }

beforeAll(async () => {
  server = await startServer({ clock })
  projects = [await server.project('acme/site'), await server.project('acme/shop')]
  for (const project of projects) {
    const all = Array.from({ length: 10 }, (_, index) =>
      dependency(index, index % 2 === 0 ? 'package-lock.json' : 'web/package-lock.json'),
    )
    const image = {
      ...dependency(90, 'unused'),
      location: { file: 'Größe/änd %.lock', dependency: { package: { name: 'a b' }, version: '1' } },
    }
    await server.report(project, reportOf([...all, image]))
    await server.report(project, reportOf(all.slice(0, 4)), { ref: 'feature' })
  }
})

const decisions = fc.array(fc.record({ project: fc.constantFrom(0, 1), index: fc.nat(10), change: decision }), {
  minLength: 3,
  maxLength: 8,
})

async function decide(list: readonly { project: number; index: number; change: { action: string } }[]) {
  for (const { project, index, change } of list) {
    clock.now = new Date(Date.parse(clock.now) + 60_000).toISOString()
    const rows = await rowsOf(server, projects[project as 0 | 1])
    const { action, ...body } = change
    await server.admin.post(`/vulnerabilities/${rows[index]?.id}/${action}`, body)
  }
}

/** Exports a scope, imports the document into its projects, and asserts that nothing changes. */
async function assertUnchanged(scope: 'project' | 'ref' | 'group', export_format: Format, before: readonly Row[][]) {
  const { body: group } = await server.admin.get('/groups/acme')
  const filter = scope === 'ref' ? { ref: 'feature' } : {}
  const path = scope === 'group' ? `groups/${group.id}` : `projects/${projects[0].id}`
  const document = await exported(server, path, { export_format, ...filter })
  expect(problemsOf(export_format, document)).toEqual([])
  for (const [index, target] of (scope === 'group' ? projects : [projects[0]]).entries()) {
    const unchanged = scope === 'ref' ? 4 : 11
    for (const override of ['false', 'true']) {
      const reply = await send(server, target, document, { override, ...filter })
      expect(reply).toMatchObject({ status: 201, body: { changed: 0, unchanged, kept: 0, requested: 0 } })
    }
    expect(await rowsOf(server, target)).toEqual(before[index])
  }
}

test('an export of random states that is imported again changes nothing', async () => {
  const runs = testEngine === 'postgres' ? 1 : 5
  await fc.assert(
    fc.asyncProperty(decisions, async (list) => {
      await decide(list)
      const before = await Promise.all(projects.map((project) => rowsOf(server, project)))
      for (const scope of ['project', 'ref', 'group'] as const) {
        for (const export_format of formats) await assertUnchanged(scope, export_format, before)
      }
    }),
    { numRuns: runs },
  )
}, 60_000)

/** Returns violations of a format that the published schemas and tests would find. */
function problemsOf(format: Format, document: Record<string, never>): string[] {
  return { openvex: openVexProblems, cyclonedx: cycloneDxProblems, csaf: csafProblems }[format](document)
}

const isUri = (text: unknown) =>
  typeof text === 'string' && /^[a-z][a-z0-9+.-]*:[!-~]+$/i.test(text) && !/[\s<>"\\^`{|}]/.test(text)
const isTime = (text: unknown) => typeof text === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)
const isText = (text: unknown) => typeof text === 'string' && text !== ''
const repeated = (texts: readonly string[]) => texts.filter((text, index) => texts.indexOf(text) !== index)

/** Collects the messages of those checks that fail. */
const failing = (checks: readonly [boolean, string][]) => checks.flatMap(([holds, message]) => (holds ? [] : [message]))

// biome-ignore lint/suspicious/noExplicitAny: a document has any shape
type Any = any

/** The rules of the published schema 0.2.0 of OpenVEX. */
function openVexProblems(document: Any): string[] {
  const ids = document.statements.map((one: Any) => one['@id'])
  return [
    ...failing([
      [isUri(document['@context']) && isUri(document['@id']), 'the ids of the document'],
      [isText(document.author) && isTime(document.timestamp) && document.version >= 1, 'the facts of the document'],
      [document.statements.length > 0 && repeated(ids).length === 0, 'the list of statements'],
    ]),
    ...document.statements.flatMap((one: Any) =>
      failing([
        [isUri(one['@id']) && isTime(one.timestamp), `id and time of ${one['@id']}`],
        [isText(one.vulnerability.name), `the name of ${one['@id']}`],
        [
          one.status !== 'not_affected' || 'justification' in one !== 'impact_statement' in one,
          `why ${one['@id']} is not affected`,
        ],
        [one.status !== 'affected' || isText(one.action_statement), `the action of ${one['@id']}`],
        [
          one.products.every((product: Any) =>
            [product, ...product.subcomponents].every((part: Any) => isUri(part['@id'])),
          ),
          `the products of ${one['@id']}`,
        ],
      ]),
    ),
  ]
}

/** Rules that the schema of CycloneDX has, and that references lead to a component. */
function cycloneDxProblems(document: Any): string[] {
  const refs = [document.metadata.component, ...document.components, ...document.vulnerabilities].map(
    (one: Any) => one['bom-ref'],
  )
  const components = new Set(document.components.map((one: Any) => one['bom-ref']))
  return [
    ...failing([
      [document.specVersion === '1.6' && /^urn:uuid:[0-9a-f-]{36}$/.test(document.serialNumber), 'the document'],
      [repeated(refs).length === 0, `repeated references ${repeated(refs)}`],
      [document.components.every((one: Any) => isText(one.name) && isText(one.type)), 'the components'],
    ]),
    ...document.vulnerabilities.flatMap((one: Any) =>
      failing([
        [isText(one.id) && isTime(one.analysis.lastUpdated), `id and time of ${one.id}`],
        [one.affects.length > 0 && one.affects.every(({ ref }: Any) => components.has(ref)), `what ${one.id} affects`],
      ]),
    ),
  ]
}

/** The mandatory tests of CSAF 2.0 that apply to the profile VEX. */
function csafProblems({ document, product_tree, vulnerabilities }: Any): string[] {
  const { tracking } = document
  const products = product_tree.full_product_names.map((one: Any) => one.product_id)
  const cves = vulnerabilities.flatMap((one: Any) => one.cve ?? [])
  return [
    ...failing([
      [document.category === 'csaf_vex' && document.csaf_version === '2.0' && isText(document.title), 'the document'],
      [isText(document.publisher.name) && isUri(document.publisher.namespace), 'the publisher'],
      [/^\S(.*\S)?$/.test(tracking.id) && /^\d+$/.test(tracking.version), 'the tracking'],
      [tracking.revision_history.at(-1).number === tracking.version, '6.1.16: the latest version'],
      [tracking.revision_history.at(-1).date <= tracking.current_release_date, 'the date of the release'],
      [repeated(products).length === 0, '6.1.2: repeated product ids'],
      [repeated(cves).length === 0, '6.1.23: a CVE in several vulnerabilities'],
      [product_tree.full_product_names.every((one: Any) => isText(one.name)), 'names of products'],
    ]),
    ...vulnerabilities.flatMap((one: Any) => csafVulnerabilityProblems(one, new Set(products))),
  ]
}

function csafVulnerabilityProblems(one: Any, products: ReadonlySet<string>): string[] {
  const named = (list: Any[] = []) => list.flatMap(({ product_ids: ids }) => ids)
  const status = one.product_status as Record<string, string[]>
  const stated = Object.values(status).flat()
  const used = [...stated, ...named(one.flags), ...named(one.threats), ...named(one.remediations)]
  const impacts = [...named(one.flags), ...named(one.threats)]
  const [{ text }] = one.ids
  return failing([
    [stated.length > 0 && repeated(stated).length === 0, `6.1.6: contradicting status of ${text}`],
    [used.every((id) => products.has(id)), `6.1.1: missing product of ${text}`],
    [(status['known_not_affected'] ?? []).every((id) => impacts.includes(id)), `6.1.27.9: no impact of ${text}`],
    [
      (status['known_affected'] ?? []).every((id) => named(one.remediations).includes(id)),
      `6.1.27.10: no action for ${text}`,
    ],
    [one.notes.length > 0 && (isText(one.cve) || one.ids.length > 0), `6.1.27.8: no id of ${text}`],
    [isTime(one.release_date), `the time of ${text}`],
    [one.ids.every((id: Any) => isText(id.system_name) && isText(id.text)), `ids of ${text}`],
  ])
}

describe('a document without statements', () => {
  test('of CSAF has no list of vulnerabilities, which must not be empty', async () => {
    const empty = await server.project('acme/empty')
    const document = await exported(server, `projects/${empty.id}`, { export_format: 'csaf' })
    expect(document.document.category).toBe('csaf_base')
    expect(Object.keys(document)).toEqual(['document'])
  })
})

// The published schemas are not part of this project; where a copy lies beside it, documents are validated with it.
const schemas = new URL('../../../../../../../shared/data/schemas/cyclonedx/', import.meta.url)
const ajvName = 'ajv'
type Ajv = new (
  options: object,
) => { addSchema(schema: object): void; compile(schema: object): { (value: unknown): boolean; errors?: unknown } }
const validator = await import(ajvName).then(
  ({ Ajv }: { Ajv: Ajv }) => new Ajv({ strict: false, validateFormats: false, logger: false }),
  () => undefined,
)

test.skipIf(!validator || !existsSync(schemas))(
  'the document of CycloneDX is valid by the published schema',
  async () => {
    const schema = (name: string) => ({
      ...JSON.parse(readFileSync(new URL(`${name}.SNAPSHOT.schema.json`, schemas), 'utf8')),
      $id: `http://local/${name}.SNAPSHOT.schema.json`,
    })
    validator?.addSchema(schema('spdx'))
    validator?.addSchema(schema('jsf-0.82'))
    const validate = validator?.compile(schema('bom-1.6'))
    const document = await exported(server, `projects/${projects[0].id}`, { export_format: 'cyclonedx' })
    expect([validate?.(document), validate?.errors]).toEqual([true, null])
  },
)
