import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import type { CamelCase } from '../../../db/db.ts'
import type { Client } from '../../../testing/client.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../../testing/server.ts'
import type { RootDeps } from '../../deps.ts'
import type { Cursor } from '../../findings/list/cursor.ts'
import type { FindingFilter } from '../../findings/list/finding-filter.ts'
import { listFindingIds } from '../../findings/list/finding-list.ts'
import type { ListPageRequest } from '../../findings/list/list-page.ts'
import { projectScope, type VulnerabilityFilter, type VulnerabilitySort } from './filter.ts'
import { listVulnerabilityIds } from './list.ts'

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
])('pages of %s are consecutive in any order of requests', async (list, order) => {
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

/** Counts the rows that are read from a database. */
function counting(deps: RootDeps) {
  const read = { rows: 0 }
  const db: RootDeps['db'] = {
    ...deps.db,
    async all<Row extends CamelCase<Row>>(query: Parameters<typeof deps.db.all>[0]) {
      const rows = await deps.db.all<Row>(query)
      read.rows += rows.length
      return rows
    },
  }
  return { deps: { ...deps, db }, read }
}

const perPage = 20
const total = 10_500
const unfiltered = {
  reportTypes: undefined,
  scanners: undefined,
  severities: undefined,
  states: undefined,
  identifiers: undefined,
  packages: undefined,
  search: undefined,
  notOnRef: undefined,
  scannedOnRef: undefined,
  importId: undefined,
  isPromoted: undefined,
}

type List = (deps: RootDeps, projectId: number, request: ListPageRequest) => Promise<{ ids: number[]; next?: Cursor }>

const vulnerabilities =
  (filter: VulnerabilityFilter, sort: VulnerabilitySort = 'severity_desc'): List =>
  async (deps, projectId, request) => {
    const { rows, next } = await listVulnerabilityIds(deps, { scope: projectScope(projectId), filter, sort }, request)
    return { ids: rows, ...(next && { next }) }
  }

const findings =
  (filter: Partial<FindingFilter>): List =>
  async (deps, projectId, request) => {
    const { rows, next } = await listFindingIds(deps, { ...unfiltered, ...filter, projectId, ref: 'main' }, request)
    return { ids: rows, ...(next && { next }) }
  }

const byIndex: [string, List][] = [
  ['vulnerabilities', vulnerabilities({})],
  ['vulnerabilities in ascending severity', vulnerabilities({}, 'severity_asc')],
  ['vulnerabilities by detection', vulnerabilities({}, 'detected_desc')],
  ['vulnerabilities of some states', vulnerabilities({ states: ['detected', 'dismissed'] })],
  ['findings', findings({})],
  ['findings of a state', findings({ states: ['detected'] })],
]
const byTest: [string, List][] = [
  ['vulnerabilities by text', vulnerabilities({ search: usual.title })],
  ['vulnerabilities by text and detection', vulnerabilities({ search: usual.title }, 'detected_asc')],
  ['vulnerabilities of a ref', vulnerabilities({ ref: 'main' })],
  ['findings by text', findings({ search: usual.title })],
  ['findings that another ref does not have', findings({ notOnRef: 'feature' })],
]

describe('a list of more than 10,000 rows', () => {
  let projectId: number
  let admin: Client
  let counted: ReturnType<typeof counting>

  beforeAll(async () => {
    const server = await startServer()
    admin = server.admin
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

  test.each(byIndex)('reads no more rows for a later page of %s', async (_, list) => {
    const { deps, read } = counted
    for (const offset of [0, 40, 5_020, 7_480, 9_980]) {
      read.rows = 0
      const { ids } = await list(deps, projectId, { page: 1 + offset / perPage, perPage, offset })
      expect(ids).toHaveLength(perPage)
      // The cursors of the page, counts of severities, and the rows with their details.
      expect(read.rows).toBeLessThan(20 + 5 * perPage)
    }
  })

  test.each(byTest)('reads no more rows for a later page of %s once a far page was read', async (_, list) => {
    const { deps, read } = counted
    const pageAt = (offset: number) => list(deps, projectId, { page: 1 + offset / perPage, perPage, offset })
    const { ids: farthest } = await pageAt(9_980)
    for (const offset of [40, 5_020, 7_480, 9_900, 9_980]) {
      read.rows = 0
      const { ids } = await pageAt(offset)
      expect(ids).toHaveLength(perPage)
      if (offset === 9_980) expect(ids).toEqual(farthest)
      // Rows from the bookmark before the page, and those of them that match.
      expect(read.rows).toBeLessThan(800)
    }
  })

  test.each([...byIndex, ...byTest])(
    'reaches every row of %s by keyset pagination, with few reads per page',
    async (_, list) => {
      const { deps, read } = counted
      const seen: number[] = []
      for (let after: Cursor | undefined; ; ) {
        read.rows = 0
        const { ids, next } = await list(deps, projectId, { page: 1, perPage: 100, offset: 0, keyset: { after } })
        seen.push(...ids)
        // The first page may try to collect the list.
        if (after) expect(read.rows).toBeLessThan(1_300)
        if (!next) break
        after = next
      }
      expect(seen).toHaveLength(total)
      expect(new Set(seen).size).toBe(total)

      const numbered = await list(deps, projectId, { page: 100, perPage: 100, offset: 9_900 })
      expect(numbered.ids).toEqual(seen.slice(9_900, 10_000))
    },
  )

  test.each([
    ['vulnerabilities', 'Vulnerability'],
    ['vulnerability_findings', 'Finding'],
  ])('has page numbers of %s up to row 10,000', async (list, noun) => {
    const path = `/projects/${projectId}/${list}?per_page=100`
    expect((await admin.get(`${path}&page=100`)).body).toHaveLength(100)
    for (const filter of ['', '&search=hash', '&severity=low', '&search=nowhere']) {
      expect(await admin.get(`${path}&page=101${filter}`)).toMatchObject({
        status: 405,
        body: {
          error:
            'Offset pagination has a maximum allowed offset of 10000 for requests that return objects of type ' +
            `${noun}. Remaining records can be retrieved using keyset pagination.`,
        },
      })
    }
    const { status, body } = await admin.get(`${path}&page=101&pagination=keyset`)
    expect([status, body.length]).toEqual([200, 100])
  })

  test.each([...byIndex, ...byTest])('counts page numbers of %s from a cursor', async (_, list) => {
    const { deps } = counted
    const seen: number[] = []
    const cursors: Cursor[] = []
    for (let after: Cursor | undefined; ; after = cursors.at(-1)) {
      const { ids, next } = await list(deps, projectId, { page: 1, perPage: 1_500, offset: 0, keyset: { after } })
      seen.push(...ids)
      if (!next) break
      cursors.push(next)
    }
    for (const [pages, page] of [
      [1, 1],
      [1, 2],
      [2, 100],
      [2, 370],
      [6, 70],
      [6, 75],
      [6, 76],
    ] as const) {
      const offset = (page - 1) * perPage
      const { ids } = await list(deps, projectId, { page, perPage, offset, keyset: { after: cursors[pages - 1] } })
      expect(ids).toEqual(seen.slice(pages * 1_500 + offset, pages * 1_500 + offset + perPage))
    }
  })

  test.each(['vulnerabilities', 'vulnerability_findings'])(
    'links from the last numbered page of %s to a cursor',
    async (list) => {
      const read = async (path: string) => {
        const { status, body, headers } = await admin.get(path)
        const next = /<http:\/\/[^/]+\/api\/v4([^>]+)>; rel="next"/.exec(headers['link'] ?? '')?.[1] ?? ''
        return { status, headers, next, ids: body.map(({ id }: { id: number }) => id) }
      }
      const path = `/projects/${projectId}/${list}`
      const last = await read(`${path}?per_page=100&page=100&severity=critical,high,medium,low,unknown,info`)
      expect(last.headers['x-next-page']).toBe('')
      expect(last.next).toMatch(/[?&]cursor=[\w-]+&.*pagination=keyset&per_page=100&.*severity/)
      expect(last.next).not.toMatch(/[?&]page=/)
      const beyond = await read(last.next)
      expect(new Set([...last.ids, ...beyond.ids]).size).toBe(200)
      const second = await read(`${last.next}&page=2`)
      expect(second.ids).toEqual((await read(beyond.next)).ids)
      expect(await admin.get(`${last.next}&page=101`)).toMatchObject({ status: 405 })
      expect((await read(`${path}?per_page=100&page=99`)).next).toMatch(/[?&]page=100&/)
      const one = await read(`${path}?per_page=1&page=10000`)
      expect((await read(one.next)).ids).toEqual(beyond.ids.slice(0, 1))
    },
  )

  test('shows a change at once, even when the list was read before', async () => {
    const { deps } = counted
    const list = vulnerabilities({ search: usual.title })
    const page = { page: 1, perPage, offset: 0 }
    const {
      ids: [first = 0, second],
    } = await list(deps, projectId, page)
    await deps.db.run(sql`update findings set name = 'Sound' where vulnerability_id = ${first}`)
    expect((await list(deps, projectId, page)).ids[0]).toBe(second)
  })
})
