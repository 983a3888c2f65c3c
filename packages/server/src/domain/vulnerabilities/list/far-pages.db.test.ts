import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { entry } from '../../../testing/reports.ts'
import { startServer } from '../../../testing/server.ts'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/vulnerabilities.ts'
import type { RootDeps } from '../../deps.ts'
import { findFindings } from '../findings.ts'
import type { VulnerabilityFilter } from './filter.ts'
import { findVulnerabilities } from './list.ts'

const severities = ['Info', 'Unknown', 'Low', 'Medium', 'High', 'Critical']
const severityNames = ['info', 'unknown', 'low', 'medium', 'high', 'critical'] as const
const words: readonly string[] = severityNames

interface Listed {
  id: number
  severity: string
}

const worst = (a: Listed, b: Listed) => words.indexOf(b.severity) - words.indexOf(a.severity)

const flaws = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    entry({ line: index + 1, severity: severities[(index * 7) % 5] ?? 'Low' }),
  )

async function pages(client: Client, path: string, numbers: readonly number[]): Promise<Map<number, Listed[]>> {
  const found = new Map<number, Listed[]>()
  for (const number of numbers) {
    const { status, body } = await client.get(`${path}?per_page=100&page=${number}`)
    expect(status).toBe(200)
    found.set(number, body)
  }
  return found
}

test.each([
  ['vulnerabilities', (a: Listed, b: Listed) => worst(a, b) || b.id - a.id],
  ['vulnerability_findings', (a: Listed, b: Listed) => worst(a, b) || a.id - b.id],
])('far pages of %s follow one another, in whichever order they are asked for', async (list, order) => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const total = 2_345
  await server.report(project, flaws(total))
  const path = `/projects/${project.id}/${list}`

  const jumping = await pages(server.admin, path, [24, 3, 17, 11, 25, 1])
  const inOrder = await pages(
    server.admin,
    path,
    Array.from({ length: 24 }, (_, index) => index + 1),
  )
  const all = [...inOrder.values()].flat()
  expect(new Set(all.map(({ id }) => id)).size).toBe(total)
  expect(all.map(({ id }) => id)).toEqual(all.toSorted(order).map(({ id }) => id))
  expect(jumping.get(25)).toEqual([])
  for (const number of [24, 3, 17, 11, 1]) expect(jumping.get(number)).toEqual(inOrder.get(number))

  await server.report(project, flaws(total - 1000))
  const left = await pages(server.admin, path, [14, 13, 12, 1])
  // Vulnerabilities stay when their finding has gone.
  expect(left.get(14)).toHaveLength(list === 'vulnerabilities' ? 100 : 45)
})

/** The same database, and how many rows were read from it. */
function counting(deps: RootDeps) {
  const read = { rows: 0 }
  const db: RootDeps['db'] = {
    ...deps.db,
    async all<Row>(query: Parameters<typeof deps.db.all>[0]) {
      const rows = await deps.db.all<Row>(query)
      read.rows += rows.length
      return rows
    },
  }
  return { deps: { ...deps, db }, read }
}

const perPage = 20
const request = (offset: number) => ({ page: 1 + offset / perPage, perPage, offset })

describe('of a list that is longer than what is gathered', () => {
  const total = 10_500
  let projectId: number
  let counted: ReturnType<typeof counting>

  beforeAll(async () => {
    const server = await startServer()
    projectId = (await server.project('acme/site')).id
    const rows = Array.from(
      { length: total },
      (_, index): MadeUp => ({
        ...usual,
        id: index + 1,
        projectId,
        severity: severityNames[index % severityNames.length] ?? 'low',
      }),
    )
    await insertMadeUp(server.deps.db, rows, server.deps.now())
    counted = counting(server.deps)
  })

  const unfiltered = { reportTypes: undefined, scanners: undefined, states: undefined, importId: undefined }

  const listVulnerabilities =
    (filter: VulnerabilityFilter): List =>
    async (deps, projectId, offset) => {
      const scope = { key: `project ${projectId}`, projectIds: [projectId] }
      const { rows } = await findVulnerabilities(deps, scope, filter, 'severity_desc', request(offset))
      return rows.map(({ vulnerability }) => vulnerability.id)
    }
  const listFindings =
    (filter: Pick<VulnerabilityFilter, 'search' | 'states'>): List =>
    async (deps, projectId, offset) => {
      const all = {
        ...unfiltered,
        severities: undefined,
        identifiers: undefined,
        isPromoted: undefined,
        search: undefined,
      }
      const { rows } = await findFindings(deps, { ...all, ...filter, projectId, ref: 'main' }, request(offset))
      return rows.map(({ id }) => id)
    }

  test.each<[string, List]>([
    ['vulnerabilities', listVulnerabilities({})],
    ['vulnerabilities of some states', listVulnerabilities({ states: ['detected', 'dismissed'] })],
    ['vulnerabilities by text', listVulnerabilities({ search: usual.title })],
    ['vulnerabilities of a ref', listVulnerabilities({ ref: 'main' })],
    ['findings', listFindings({})],
    ['findings of a state', listFindings({ states: ['detected'] })],
  ])('a page of %s reads no more rows the further it is, once the way is known', async (_, list) => {
    const { deps, read } = counted
    // The last page of each severity.
    for (let offset = 1_740; offset < total; offset += 1_740) await list(deps, projectId, offset)
    for (const offset of [0, 40, 5_020, 7_480, 10_440]) {
      read.rows = 0
      expect(await list(deps, projectId, offset)).toHaveLength(perPage)
      // Positions, up to the next place that is remembered; then the rows with what hangs on them.
      expect(read.rows).toBeLessThan(70 + 5 * perPage)
    }
  })

  test('what has changed is seen at once, also where all of it was known', async () => {
    const { deps } = counted
    const list = listVulnerabilities({ search: usual.title })
    const [first = 0, second] = await list(deps, projectId, 0)
    await list(deps, projectId, 10_440)
    await deps.db.run(sql`update findings set name = 'Sound' where vulnerability_id = ${first}`)
    expect((await list(deps, projectId, 0))[0]).toBe(second)
  })
})

type List = (deps: RootDeps, projectId: number, offset: number) => Promise<number[]>
