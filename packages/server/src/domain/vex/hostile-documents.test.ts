import { expect, test } from 'vitest'
import type { Candidate } from './candidates.ts'
import { startMatcher } from './match.ts'
import { readVex } from './read-vex.ts'
import type { VexStatement } from './statement.ts'

const many = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index))

test('a CSAF document with very many products is read in time', () => {
  const ids = many(100_000, (index) => `P${index}`)
  const document = {
    document: { csaf_version: '2.0' },
    product_tree: { branches: [{ branches: ids.map((id) => ({ product: { product_id: id, name: `name ${id}` } })) }] },
    vulnerabilities: [
      {
        cve: 'CVE-2099-0001',
        product_status: { known_not_affected: ids },
        flags: [
          { label: 'component_not_present', product_ids: ids.slice(0, 50_000) },
          { label: 'vulnerable_code_not_present', product_ids: ids },
        ],
        threats: [{ category: 'impact', details: 'Not used', product_ids: ids.slice(60_000) }],
        remediations: [{ details: 'Upgrade', product_ids: ids }],
      },
    ],
  }
  const { statements } = readVex(Buffer.from(JSON.stringify(document)))
  expect(
    statements.map(({ justification, detail, components }) => [
      justification,
      detail,
      components.length,
      components[0],
    ]),
  ).toEqual([
    ['component_not_present', 'Upgrade', 50_000, 'name P0'],
    ['vulnerable_code_not_present', 'Not used', 50_000, 'name P50000'],
  ])
})

test('a CycloneDX document with very many components in one is read', () => {
  const components = [{ name: 'a', components: many(200_000, (index) => ({ 'bom-ref': `c${index}`, name: 'b' })) }]
  const vulnerabilities = [{ id: 'CVE-2099-0001', affects: [{ ref: 'c7' }], analysis: { state: 'not_affected' } }]
  const { statements } = readVex(Buffer.from(JSON.stringify({ bomFormat: 'CycloneDX', components, vulnerabilities })))
  expect(statements).toMatchObject([{ components: ['b'] }])
})

const candidate = (id: number): Candidate => ({
  ...{
    id,
    title: 'a',
    state: 'detected',
    dismissalReason: null,
    ...{ severity: 'high' as const, reported: 'high' as const, dismissalRequestId: null },
    ids: ['cwe-79'],
    packageKey: undefined,
  },
  ...{ packageName: 'parser', version: undefined, image: undefined, decidedAt: undefined },
})

const statement = (components: string[]): VexStatement => ({
  ...{ pointer: '', about: undefined, ids: ['CWE-79'], components, products: [], status: 'not_affected' },
  ...{ dismissalReason: 'not_applicable', justification: undefined, detail: undefined, timestamp: undefined },
})

test.for([
  ['matches', []],
  ['comparisons', many(5000, (index) => `other ${index}`)],
] as const)('a document with too many %s is rejected', ([, components]) => {
  const matcher = startMatcher(many(1000, candidate), {
    project: { fullPath: 'acme/site' },
    instanceUrl: 'https://a.test',
    cost: { comparisons: 0, matches: 0 },
  })
  const findAll = () => many(300, () => matcher.find(statement([...components])))
  expect(findAll).toThrow(expect.objectContaining({ cause: expect.objectContaining({ kind: 'report-rejected' }) }))
})
