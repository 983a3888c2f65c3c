import sql, { type Sql } from 'sql-template-tag'
import { inject } from 'vitest'
import type { Database, Db } from '../db/db.ts'
import { isReadAsWhole, isReadByIds, planOf, tablesNamedById } from './plans-of-ids.ts'

const checkedTexts = new Set<string>()

/**
 * Throws if a statement does not find the rows that it names by their ids. Examines each text one time per process; on
 * PostgreSQL, only when its tables contain rows, and as if each of their pages contained a million.
 */
export async function assertReadByIds(db: Database, queries: Iterable<Sql>): Promise<void> {
  const unchecked = [...queries].filter(
    ({ text }) => !checkedTexts.has(text) && !/^\s*explain\b/.test(text) && tablesNamedById(text).length > 0,
  )
  if (unchecked.length === 0) return
  const problems = await withAssumedRows(db, async (db, hasRows) => {
    const problems: string[] = []
    for (const query of unchecked) {
      const tables = tablesNamedById(query.text)
      if (!tables.every(({ table }) => hasRows(table))) continue
      const plan = await planOf(db, query)
      const problem = tables
        .filter((table) => !isReadByIds(db, plan, table) || isReadAsWhole(plan, table))
        .map(({ alias }) => alias)
      if (problem.length > 0) problems.push(`${problem.join()}: ${query.text}\n${plan}`)
      else checkedTexts.add(query.text)
    }
    return problems
  })
  if (problems.length > 0) throw new Error(`rows are not read by their ids: ${problems.join('\n\n')}`)
}

/**
 * Runs `work` while PostgreSQL's planner assumes many rows in every table that is not empty, so that it plans as for large
 * tables. Only a superuser can change these numbers; otherwise `work` does not run.
 */
async function withAssumedRows(
  db: Database,
  work: (db: Db, hasRows: (table: string) => boolean) => Promise<string[]>,
): Promise<string[]> {
  if (db.dialect.engine === 'sqlite') {
    // Its plans do not depend on numbers of rows, unless a test has analyzed its small tables.
    const isAnalyzed = await db.one(sql`select 1 as found from sqlite_master where name = 'sqlite_stat1'`)
    return isAnalyzed ? [] : work(db, () => true)
  }
  if (!inject('postgres').isSuperuser) return []
  let problems: string[] = []
  const undone = new Error('rolled back')
  try {
    await db.transaction(async (tx) => {
      const tables = await tx.all<{ name: string }>(sql`
        update pg_class set reltuples = 1000000, relpages = 1
        where relkind = 'r' and relnamespace = current_schema()::regnamespace and pg_relation_size(oid) > 0
        returning relname as name`)
      const names = new Set(tables.map(({ name }) => name))
      problems = await work(tx, (table) => names.has(table))
      throw undone
    })
  } catch (error) {
    if (error !== undone) throw error
  }
  return problems
}
