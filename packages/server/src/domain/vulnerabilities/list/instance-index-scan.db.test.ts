import sql, { type Sql } from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import type { Db } from '../../../db/db.ts'
import { planOf } from '../../../testing/plans-of-ids.ts'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../../testing/server.ts'
import type { ListOrder } from '../../findings/list/cursor.ts'
import { listFacetCounts } from './facet-count-queries.ts'
import { type VulnerabilityFilter, type VulnerabilitySort, vulnerabilitySorts } from './filter.ts'
import { listInstanceRows } from './instance-index-queries.ts'
import { listOrder, openList } from './list.ts'

const projectCount = 160
const rowCount = 8_000
let db: Db
let userId: number
let all: MadeUp[]
let projectIds: number[]
beforeAll(async () => {
  const server = await startServer()
  db = server.deps.db
  userId = (await server.user('ada')).user?.id ?? 0
  projectIds = []
  for (let number = 0; number < projectCount; number++) projectIds.push((await server.project(`acme/p${number}`)).id)
  const severities = ['critical', 'high', 'medium', 'low'] as const
  all = Array.from({ length: rowCount }, (_, index): MadeUp => {
    // The oldest rows belong to the last ten projects, which have no other rows.
    const isOld = index < 500
    return {
      ...usual,
      id: index + 1,
      projectId: projectIds[isOld ? projectCount - 10 + (index % 10) : index % (projectCount - 10)] ?? 0,
      severity: severities[(index * 7) % 4] ?? 'low',
      state: index % 3 ? 'detected' : 'confirmed',
      isKev: index % 11 === 0,
      assigneeId: index % 5 ? null : userId,
      dueOn: index % 2 ? null : `2027-01-${10 + (index % 7)}`,
    }
  })
  await insertMadeUp(db, all, server.deps.now())
  await db.run(sql`analyze vulnerabilities`)
}, 120_000)

interface Asked {
  projects: readonly number[]
  filter?: VulnerabilityFilter
  sort: VulnerabilitySort
  offset?: number
}

/** Returns a page, the same page read from index ranges, and how many rows and statements the page took. */
async function read({ projects, filter = {}, sort, offset = 0 }: Asked) {
  const counts = await listFacetCounts(db, projects)
  expect(counts.length).toBeGreaterThan(100)
  let visited = 0
  let statements = 0
  const counted: Db = {
    ...db,
    async all(query) {
      const rows = await db.all<never>(query)
      if (/from\s+vulnerabilities/.test(query.text)) visited += rows.length
      statements++
      return rows
    },
  }
  const query = { scope: { key: projects.join(), projectIds: projects }, filter, sort }
  const list = await openList(counted, query, counts)
  visited = 0
  statements = 0
  const page = await list.read({ offset, limit: 21 })
  const cost = { visited, statements }
  // With this limit no list is read by a scan.
  const merged = await openList(db, query, counts, {
    scan: { minCounts: Number.POSITIVE_INFINITY, maxVisited: () => 0 },
  })
  return { page, expected: await merged.read({ offset, limit: 21 }), ...cost }
}

test.each(vulnerabilitySorts)('a page of most projects by %s visits few other rows', async (sort) => {
  for (const offset of [0, 700]) {
    const { page, expected, visited, statements } = await read({ projects: projectIds.slice(0, 120), sort, offset })
    expect(page).toEqual(expected)
    expect(page).toHaveLength(21)
    // In ascending orders the oldest rows are first, which belong to other projects.
    expect(visited).toBeLessThan(2 * (offset + 21) + 1_500)
    expect(statements).toBeLessThan(10)
  }
})

test.each(vulnerabilitySorts)('a page of some projects by %s has no row of another one', async (sort) => {
  const projects = projectIds.filter((_, index) => index % 2 === 0)
  for (const filter of [{}, { states: ['confirmed'] }, { severities: ['high', 'low'] }] as const) {
    const { page, expected } = await read({ projects, filter, sort, offset: 40 })
    expect(page).toEqual(expected)
    const owners = new Set(page.map(({ id }) => all[id - 1]?.projectId))
    for (const owner of owners) expect(projects).toContain(owner)
  }
})

test('rows late in the order are read from index ranges after a scan has visited a limited number of rows', async () => {
  const projects = projectIds.slice(-10)
  const scanners = await listFacetCounts(db, projects)
  for (const sort of ['severity_desc', 'detected_desc', 'priority_desc', 'due_desc'] as const) {
    const query = { scope: { key: 'old', projectIds: projects }, filter: {}, sort }
    let visited = 0
    const counted: Db = {
      ...db,
      async all(statement) {
        const rows = await db.all<never>(statement)
        if (/project_id, is_on_default_branch/.test(statement.text)) visited += rows.length
        return rows
      },
    }
    const list = await openList(counted, query, scanners, { scan: { minCounts: 0, maxVisited: () => 300 } })
    const merged = await openList(db, query, scanners)
    expect(await list.read({ offset: 30, limit: 50 })).toEqual(await merged.read({ offset: 30, limit: 50 }))
    expect(visited).toBeGreaterThan(0)
    expect(visited).toBeLessThanOrEqual(300 + 2_000)
  }
})

test('the rows of one assignee are read from their index', async () => {
  for (const sort of ['severity_desc', 'severity_asc', 'detected_desc', 'detected_asc'] as const) {
    const { page, expected, visited } = await read({
      projects: projectIds.slice(0, 140),
      filter: { assigneeIds: [userId] },
      sort,
    })
    expect(page).toEqual(expected)
    expect(page).toHaveLength(21)
    expect(visited).toBeLessThan(600)
  }
})

test.each([
  ['severity_desc', undefined, /vulnerabilities_in_severity_order/],
  ['severity_asc', undefined, /vulnerabilities_in_severity_order/],
  ['detected_desc', undefined, /PRIMARY KEY|vulnerabilities_pkey/],
  ['priority_desc', undefined, /vulnerabilities_in_priority_order/],
  ['priority_asc', undefined, /vulnerabilities_in_priority_order/],
  ['due_asc', undefined, /vulnerabilities_in_due_date_order/],
  ['due_desc', undefined, /vulnerabilities_in_due_date_order/],
  ['severity_desc', 1, /vulnerabilities_assignee/],
] as const)(
  'rows of the whole instance by %s, with assignee %j, are read in the order of an index',
  async (sort, assigneeId, index) => {
    const order: ListOrder = listOrder({ sort })
    for (const isContinued of [false, true]) {
      const plans: string[] = []
      const explained: Db = {
        ...db,
        async all(query: Sql) {
          plans.push(await planOf(db, query))
          return []
        },
      }
      const keys = { priority: 45, due_key: '2027-01-12' }
      const sortKey = order.key && keys[order.key.sql as keyof typeof keys] // the only keys of orders
      const after = isContinued ? { severity: 6, id: 4_000, ...(sortKey === undefined ? {} : { sortKey }) } : undefined
      const severity = order.severity && 6
      await listInstanceRows(explained, { order, severity, assigneeId, after, limit: 50 })
      expect(plans.length).toBeGreaterThan(0)
      for (const plan of plans) {
        expect(plan).toMatch(index)
        expect(plan).not.toMatch(/TEMP B-TREE|Sort {2}\(|Seq Scan|SCAN vulnerabilities$/)
      }
    }
  },
)

test('a row that moves down while a page is read is on it once', async () => {
  const projects = projectIds.slice(0, 150).filter((_, index) => index % 3 === 0)
  let moved: { id: number; dueOn: string } | undefined
  const changed: Db = {
    ...db,
    async all(query) {
      const rows = await db.all<never>(query)
      if (moved) return rows
      const found = (rows as { id: number; projectId?: number; sortKey?: string }[]).filter(
        ({ projectId, sortKey }) => projects.includes(projectId ?? 0) && sortKey === '2027-01-10',
      )
      const last = found.at(-1)
      if (!last) return rows
      moved = { id: last.id, dueOn: '2027-01-10' }
      await db.run(sql`update vulnerabilities set due_on = '2027-01-11' where id = ${last.id}`)
      return rows
    },
  }
  const query = { scope: { key: 'moving', projectIds: projects }, filter: {}, sort: 'due_asc' } as const
  const scan = { minCounts: 0, maxVisited: () => rowCount }
  const list = await openList(changed, query, await listFacetCounts(db, projects), { scan })
  const ids = (await list.read({ limit: 400 })).map(({ id }) => id)
  await db.run(sql`update vulnerabilities set due_on = ${moved?.dueOn} where id = ${moved?.id}`)
  expect(ids.filter((id) => id === moved?.id)).toHaveLength(1)
  expect(new Set(ids).size).toBe(400)
})
