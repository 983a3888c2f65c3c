import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Database, Db } from '../../packages/server/src/db/db.ts'
import { inLargeTransaction } from './batches.ts'
import { assertDiskSpace } from './disk-space.ts'
import { measuredProjects } from './fixtures.ts'
import { withoutIndexes } from './without-indexes.ts'

/** Number of findings of the first project, which are copied. */
const templateRows = 1_000
const rowsPerTransaction = 20_000

interface Copy {
  projectId: number
  /** Number among all copies. */
  number: number
  /** Added to the ids of the copied rows. */
  before: number
  /** How many findings are copied, from the first. */
  rows: number
  isFirstOfProject: boolean
}

/**
 * Fills all projects with copies of the first project's findings, by statements that read and insert inside the database.
 * Texts that no index contains are removed before, because they would take most of the disk.
 */
export async function copyFindings(db: Database, projects: number, findings: number): Promise<void> {
  await assertDiskSpace(findings)
  await db.run(sql`update findings set description = substr(description, 1, 60), solution = null, raw_metadata = '{}'`)
  const columns = new Map<string, string[]>()
  for (const { table } of [...tablesOfProjects, ...tablesOfFindings]) columns.set(table, await columnsOf(db, table))

  const tables = tablesOfFindings.map(({ table }) => table)
  await withoutIndexes(db, tables, () => insertAll(db, listCopies(projects, findings), columns, findings))
}

async function insertAll(
  db: Database,
  copies: readonly Copy[],
  columns: ReadonlyMap<string, readonly string[]>,
  findings: number,
): Promise<void> {
  let shown = Date.now()
  for (let start = 0; start < copies.length; ) {
    const batch: Copy[] = []
    let rows = 0
    for (; start < copies.length && rows < rowsPerTransaction; start++) {
      const copy = copies[start]
      if (copy) batch.push(copy)
      rows += copy?.rows ?? 0
    }
    const first = batch.filter(({ isFirstOfProject }) => isFirstOfProject)
    await inLargeTransaction(db, async (db) => {
      if (first.length > 0) await insertCopies(db, first, tablesOfProjects, columns)
      await insertCopies(db, batch, tablesOfFindings, columns)
    })
    if (Date.now() - shown < 5_000) continue
    shown = Date.now()
    const done = (batch.at(-1)?.before ?? 0) / findings
    console.error(`copying findings: ${Math.round(100 * done)} % of ${findings.toLocaleString('en')}`)
  }
}

/** One project has a tenth of all findings, another one a hundredth; every tenth of the others has five times as many. */
function listCopies(projects: number, findings: number): Copy[] {
  const { small, medium, large } = measuredProjects
  const others = Array.from({ length: projects }, (_, index) => 1 + index).filter((id) => id > large)
  const weightOf = (id: number) => (id % 10 === 0 ? 5 : 1)
  const weight = others.reduce((sum, id) => sum + weightOf(id), 0)
  const rest = findings - templateRows - Math.round(findings * 0.11)
  const totals = new Map<number, number>([
    [medium, Math.round(findings / 100)],
    [large, Math.round(findings / 10)],
    ...others.map((id) => [id, Math.round((rest * weightOf(id)) / weight)] as const),
  ])

  const copies: Copy[] = []
  let before = templateRows * small
  for (const [projectId, total] of totals) {
    for (let done = 0; done < total; done += templateRows) {
      const rows = Math.min(templateRows, total - done)
      copies.push({ projectId, number: copies.length + 1, before, rows, isFirstOfProject: done === 0 })
      before += rows
    }
  }
  return copies
}

interface CopiedTable {
  table: string
  /** Which rows of the template `t` are copied by copy `c`. */
  condition: Sql
  /** Columns that differ from the template. Without a value the column is left out. */
  changed: (db: Db) => Readonly<Record<string, Sql | undefined>>
}

const projectId = sql`c.project_id`
const ofTemplate = sql`t.project_id = ${raw(`${measuredProjects.small}`)}`
const newId = sql`c.before + t.id`
const newFindingId = sql`c.before + t.finding_id`
/** `seed-findings.ts` numbers identifiers by project. */
const identifierId = (column: Sql) => sql`${column} + (c.project_id - 1) * 10000`

const tablesOfProjects: readonly CopiedTable[] = [
  { table: 'imports', condition: ofTemplate, changed: () => ({ id: projectId, project_id: projectId }) },
  { table: 'scanners', condition: ofTemplate, changed: () => ({ id: projectId, project_id: projectId }) },
  {
    table: 'identifiers',
    condition: ofTemplate,
    changed: () => ({ id: identifierId(sql`t.id`), project_id: projectId }),
  },
]

const tablesOfFindings: readonly CopiedTable[] = [
  {
    table: 'vulnerabilities',
    condition: sql`t.id <= c.rows`,
    changed: () => ({
      id: newId,
      project_id: projectId,
      scanner_id: projectId,
      // Two fifths share a flaw with about eight copies.
      flaw_key: sql`t.flaw_key + case when t.id % 5 < 2 then c.number / 8 else c.number end`,
    }),
  },
  {
    table: 'findings',
    condition: sql`t.id <= c.rows`,
    changed: (db) => ({
      id: newId,
      project_id: projectId,
      vulnerability_id: newId,
      scanner_id: projectId,
      primary_identifier_id: identifierId(sql`t.primary_identifier_id`),
      uuid: sql`substr(t.uuid, 1, 24) || ${hexOf(db, newId)}`,
      location: locationIn(db),
    }),
  },
  {
    table: 'finding_identifiers',
    condition: sql`t.finding_id <= c.rows`,
    changed: () => ({ finding_id: newFindingId, identifier_id: identifierId(sql`t.identifier_id`) }),
  },
  {
    table: 'occurrences',
    condition: sql`t.finding_id <= c.rows`,
    changed: () => ({
      id: undefined,
      project_id: projectId,
      finding_id: newFindingId,
      first_import_id: projectId,
      last_import_id: projectId,
    }),
  },
  {
    table: 'promoted_findings',
    condition: sql`t.finding_id <= c.rows`,
    changed: () => ({ finding_id: newFindingId, vulnerability_id: newFindingId, scanner_id: projectId }),
  },
]

/** Returns twelve hexadecimal digits. */
const hexOf = ({ dialect }: Db, number: Sql): Sql =>
  dialect.engine === 'sqlite' ? sql`printf('%012x', ${number})` : sql`lpad(to_hex(${number}), 12, '0')`

/** Renames the file, so that a large project has more files than a small one. */
function locationIn({ dialect }: Db): Sql {
  const renamed = sql`replace(cast(t.location as text), '.java"', (c.number % 97) || '.java"')`
  return dialect.engine === 'sqlite' ? renamed : sql`cast(${renamed} as json)`
}

async function insertCopies(
  db: Db,
  copies: readonly Copy[],
  tables: readonly CopiedTable[],
  columns: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const rows = copies.map(({ projectId, number, before, rows }) => ({ project_id: projectId, number, before, rows }))
  const listed = { project_id: 'integer', number: 'integer', before: 'integer', rows: 'integer' } as const
  for (const { table, condition, changed } of tables) {
    const values = changed(db)
    const names = (columns.get(table) ?? []).filter((name) => !(name in values) || values[name])
    await db.run(sql`
      insert into ${raw(table)} (${raw(names.join())})
      select ${join(names.map((name) => values[name] ?? raw(`t.${name}`)))}
      from ${db.dialect.records(rows, listed)} as c cross join ${raw(table)} as t where ${condition}`)
  }
}

/** Returns the columns that are not computed. */
async function columnsOf(db: Db, table: string): Promise<string[]> {
  const isSqlite = db.dialect.engine === 'sqlite'
  const rows = await db.all<{ name: string }>(
    isSqlite
      ? sql`select name from pragma_table_info(${table})`
      : sql`select column_name as name from information_schema.columns
          where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER'`,
  )
  return rows.map(({ name }) => name)
}
