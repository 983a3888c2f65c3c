import sql, { raw, type Sql } from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import type { Db } from '../../db/db.ts'
import { testEngine } from '../../testing/databases/database.ts'
import { note, noting, openQueue } from '../../testing/jobs.ts'
import type { RootDeps } from '../deps.ts'
import { dispatch } from './dispatch.ts'
import { openLeases } from './leases.ts'
import { runJob } from './run-job.ts'
import { runDueJobs } from './run-jobs.ts'

/** SQLite chooses a plan without statistics and counts no rows, so that few rows have the same plan. */
const many = testEngine === 'postgres' ? 20_000 : 400
/**
 * Maximum number of rows read by all statements of one dispatch. Placing a batch of 200 jobs reads a few rows for each.
 */
const maxVisited = 4_000

/** Reasons for which many jobs wait. Each set is inserted by one statement, so that the engines have no statistics. */
const scenarios: Record<string, { values: Sql; claims: number }> = {
  'few keys': {
    values: sql`'k' || (i % 5), null, case when i <= 5 then 'ready' else 'behind' end, '2026-01-01T00:00:00.000Z'`,
    claims: 2,
  },
  'one key per job': { values: sql`'k' || i, null, 'ready', '2026-01-01T00:00:00.000Z'`, claims: 2 },
  'one owner': {
    values: sql`'k' || i, 'o', case when i <= 4 then 'ready' else 'queued' end, '2026-01-01T00:00:00.000Z'`,
    claims: 2,
  },
  'one owner per job': { values: sql`'k' || i, 'o' || i, 'ready', '2026-01-01T00:00:00.000Z'`, claims: 2 },
  'scheduled jobs': { values: sql`'k' || i, 'o' || (i % 50), 'delayed', '2999-01-01T00:00:00.000Z'`, claims: 0 },
  'jobs after a scheduled one': {
    values: sql`'k', 'o', case when i = 1 then 'delayed' else 'behind' end, '2999-01-01T00:00:00.000Z'`,
    claims: 0,
  },
  'unplaced jobs with few keys': { values: sql`'k' || (i % 5), 'o', 'new', '2026-01-01T00:00:00.000Z'`, claims: 2 },
  'unplaced jobs with one key each': { values: sql`'k' || i, 'o', 'new', '2026-01-01T00:00:00.000Z'`, claims: 2 },
}

function fill(db: Db, values: Sql, count = many): Promise<number> {
  return db.run(sql`
    with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${raw(`${count}`)})
    insert into jobs (kind, lane, payload, key, owner, stage, run_at, created_at, scheduled_at, ticket, turn)
    select 'note', 'note', '{"text":"x"}', ${values}, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 1, i
    from numbers`)
}

interface Explained {
  plans: string[]
  visited: number
}

/** Deps that record the plan of each statement in a transaction. */
function explaining(deps: RootDeps): { deps: RootDeps; explained: Explained } {
  const explained: Explained = { plans: [], visited: 0 }
  const wrap = (db: Db): Db => {
    const first = <Result>(run: (query: Sql) => Promise<Result>) => {
      return async (query: Sql) => {
        await explain(db, query, explained)
        return run(query)
      }
    }
    return { ...db, all: first(db.all) as Db['all'], one: first(db.one) as Db['one'], run: first(db.run) } // as the originals
  }
  const transaction: RootDeps['db']['transaction'] = (work, options) =>
    deps.db.transaction((db) => work(wrap(db)), options)
  return { deps: { ...deps, db: { ...deps.db, transaction } }, explained }
}

async function explain(db: Db, query: Sql, explained: Explained): Promise<void> {
  if (db.dialect.engine === 'sqlite') {
    const rows = await db.all<{ detail: string }>(sql`explain query plan ${query}`)
    explained.plans.push(...rows.map(({ detail }) => `${detail} in ${query.sql}`))
    return
  }
  // Run and rolled back, to count its rows.
  await db.run(sql`savepoint explained`)
  const rows = await db.all<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(sql`explain (analyze, format json) ${query}`)
  await db.run(sql`rollback to savepoint explained`)
  const visit = (node: PlanNode): void => {
    explained.plans.push(
      `${node['Node Type']} ${node['Relation Name'] ?? ''} ${node['Index Name'] ?? ''} in ${query.sql}`,
    )
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
    if (node['Relation Name'] === 'jobs') explained.visited += (node['Actual Rows'] + removed) * node['Actual Loops']
    node.Plans?.forEach(visit)
  }
  for (const row of rows) for (const { Plan } of row['QUERY PLAN']) visit(Plan)
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

function expectIndexed({ plans, visited }: Explained): void {
  for (const plan of plans) {
    expect(plan).not.toMatch(/^SCAN (?:jobs|other|older|placed)(?! USING)/)
    expect(plan).not.toMatch(/Seq Scan jobs/)
    // These indexes contain all waiting jobs.
    expect(plan).not.toMatch(/jobs_by_state|jobs_open/)
  }
  expect(plans.length).toBeGreaterThan(3)
  expect(visited).toBeLessThan(maxVisited)
}

describe('the queries of the job queue use an index', () => {
  test.each(Object.entries(scenarios))('when claiming: %s', async (_name, { values, claims }) => {
    const { deps } = await openQueue()
    const { kind } = noting()
    await fill(deps.db, values)
    const { deps: watched, explained } = explaining(deps)
    const free = new Map([['note', 2]])
    const first = await dispatch(watched, [kind], { free, isAbandoned: () => false })
    expect(first.claimed).toHaveLength(claims)
    expectIndexed(explained)
  })

  test('when claiming one of five times as many jobs', async () => {
    const { deps } = await openQueue()
    const { kind } = noting()
    await fill(deps.db, sql`'k' || (i % 5), 'o', 'new', '2026-01-01T00:00:00.000Z'`, 5 * many)
    const { deps: watched, explained } = explaining(deps)
    const free = new Map([['note', 2]])
    expect((await dispatch(watched, [kind], { free, isAbandoned: () => false })).claimed).toHaveLength(2)
    expectIndexed(explained)
  })

  test('when ending a job', async () => {
    const { deps } = await openQueue()
    const { kind } = noting()
    await fill(deps.db, sql`'k' || (i % 5), 'o', 'new', '2026-01-01T00:00:00.000Z'`)
    const places = { free: new Map([['note', 1]]), isAbandoned: () => false }
    const [claimed] = (await dispatch(deps, [kind], places)).claimed
    if (!claimed) throw new Error('a job is ready')
    const { deps: watched, explained } = explaining(deps)
    const leases = openLeases(deps)
    await runJob(watched, claimed, leases, new AbortController().signal)
    leases.close()
    expectIndexed(explained)
    expect((await dispatch(deps, [kind], places)).claimed).toHaveLength(1)
  })
})

test('every query uses an index in a fresh database', async () => {
  const { deps } = await openQueue()
  const { kind, notes } = noting()
  const { deps: watched, explained } = explaining(deps)
  for (const text of ['a', 'b']) await note(deps, text, { key: 'k', owner: 'o' })
  expect(await runDueJobs(watched, [kind])).toBe(2)
  expect(notes).toEqual(['a', 'b'])
  expectIndexed(explained)
})
