import type { Changes, ProjectWrites } from './db.ts'

/** Foreign key between two tables, with SQL's actions in lower case (`cascade`, `set null`, …). */
export interface ForeignKey {
  child: string
  parent: string
  on_delete: string
  on_update: string
}

/** Writable side of `Changes`, for the engines only. */
export interface ChangeLog extends Omit<Changes, 'synchronize'> {
  /** Returns the tables that a statement changes, directly or through foreign keys; none for a query. */
  tablesWritten(text: string): readonly string[]
  /** Records a commit that changed these tables; see `describeCommit`. */
  bump(tables: Iterable<string>): void
  bumpAll(): void
  /** Sets whether commits of other processes are received. */
  setConnected(connected: boolean): void
  /** Replaces the foreign keys after migrations. */
  refresh(foreignKeys: readonly ForeignKey[]): void
}

/** Tables that triggers update with their parent. Search indexes and versions of rows are not listed. */
const updatedByTriggers: readonly ForeignKey[] = ['promoted_findings', 'occurrences'].map((child) => {
  return { child, parent: 'vulnerabilities', on_delete: '', on_update: 'cascade' }
})

/** Tables that triggers insert into in place of a view. */
const tablesBehindViews: ReadonlyMap<string, readonly string[]> = new Map([
  ['audited_history', ['vulnerability_history', 'audit_events']],
])

const maxCachedTexts = 2000
const maxProjectCounts = 100_000
/** Larger than any number of commits, so that no version is used twice. */
const resetStep = 2 ** 40
const projectMark = '~'

/**
 * Returns the tables that a transaction has changed, as `bump` and the commit log expect them: tables of which it changed
 * rows of one project only follow a mark with that project. Processes of earlier versions ignore the mark.
 */
export function describeCommit(written: ReadonlySet<string>, project?: ProjectWrites): string[] {
  const owned = [...written].filter((table) => project?.tables.includes(table))
  if (!project || owned.length === 0) return [...written]
  return [...[...written].filter((table) => !owned.includes(table)), `${projectMark}${project.id}`, ...owned]
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

export function createChangeLog(): ChangeLog {
  const counts = new Map<string, number>()
  /** The same by project and table, for commits that concern one project, and how many of them each table had. */
  const projectCounts = new Map<number, Map<string, number>>()
  let projectCountsSize = 0
  const restricted = new Map<string, number>()
  const remembered = new Map<string, readonly string[]>()
  const watchers = new Map<string, Set<() => void>>()
  const notify = (table: string) => watchers.get(table)?.forEach((callback) => void callback())
  let base = 0
  let connected = true
  let foreignKeys = updatedByTriggers

  function version(tables: readonly string[], projectId?: number): number | undefined {
    if (!connected) return undefined
    let sum = base
    for (const table of tables) sum += counts.get(table) ?? 0
    if (projectId === undefined) return sum
    for (const table of tables) sum -= restricted.get(table) ?? 0
    const own = projectCounts.get(projectId)
    if (own) for (const table of tables) sum += own.get(table) ?? 0
    return sum
  }

  function countOfProject(projectId: number, table: string): void {
    const own = projectCounts.get(projectId) ?? new Map<string, number>()
    if (!own.has(table)) projectCountsSize++
    increment(own, table)
    projectCounts.set(projectId, own)
  }

  return {
    version,
    watch(table, callback) {
      const watching = watchers.get(table) ?? new Set()
      watchers.set(table, watching.add(callback))
      return () => void watching.delete(callback)
    },
    tablesWritten(text) {
      const known = remembered.get(text)
      if (known) return known
      const tables = reachedTables(findWrites(text), foreignKeys)
      if (remembered.size >= maxCachedTexts) remembered.clear()
      remembered.set(text, tables)
      return tables
    },
    bump(tables) {
      let project: string | undefined
      for (const table of tables) {
        if (table.startsWith(projectMark)) {
          project = table.slice(projectMark.length)
          continue
        }
        increment(counts, table)
        if (project !== undefined) {
          increment(restricted, table)
          countOfProject(Number(project), table)
        }
        notify(table)
      }
      if (projectCountsSize > maxProjectCounts) {
        // Everything counts as changed, because the counts start again.
        projectCounts.clear()
        projectCountsSize = 0
        restricted.clear()
        counts.clear()
        base += resetStep
      }
    },
    bumpAll() {
      base++
      for (const table of watchers.keys()) notify(table)
    },
    setConnected(value) {
      connected = value
    },
    refresh(keys) {
      foreignKeys = [...keys, ...updatedByTriggers]
      remembered.clear()
    },
  }
}

type Action = 'insert' | 'update' | 'delete'
export interface Write {
  table: string
  action: Action
}

const name = String.raw`(?:only\s+)?((?:"[^"]+"|\w+)(?:\s*\.\s*(?:"[^"]+"|\w+))?)`
const orClause = String.raw`(?:\s+or\s+\w+)?`
// Linear time: the statements are those of this program.
const writePatterns: readonly (readonly [RegExp, Action])[] = [
  [new RegExp(String.raw`\binsert${orClause}\s+into\s+${name}`, 'gi'), 'insert'],
  // Replacing deletes the conflicting row.
  [new RegExp(String.raw`\b(?:replace|insert\s+or\s+replace|merge)\s+into\s+${name}`, 'gi'), 'delete'],
  [new RegExp(String.raw`\b(?:delete\s+from|truncate(?:\s+table)?)\s+${name}`, 'gi'), 'delete'],
  // Linear time: see above. Excludes `for update`, `on conflict … do update set` and a foreign key's `on update`.
  [new RegExp(String.raw`(?<!\b(?:for|key|do|on)\s+)\bupdate${orClause}\s+${name}`, 'gi'), 'update'],
]

/** Returns the target tables of a statement, including those in its CTEs. Exported for its test. */
export function findWrites(text: string): Write[] {
  // Linear time: the statements are those of this program.
  const code = text.replace(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'/g, ' ')
  const writes: Write[] = []
  for (const [pattern, action] of writePatterns) {
    for (const [, target = ''] of code.matchAll(pattern)) {
      const table = target.slice(target.lastIndexOf('.') + 1).trim()
      writes.push({ table: table.replaceAll('"', '').toLowerCase(), action })
    }
  }
  return writes
}

/** Adds the tables that foreign keys change as a consequence. */
function reachedTables(writes: readonly Write[], foreignKeys: readonly ForeignKey[]): string[] {
  const seen = new Set<string>()
  const pending = [...writes]
  for (let write = pending.pop(); write; write = pending.pop()) {
    const key = `${write.action} ${write.table}`
    if (seen.has(key)) continue
    seen.add(key)
    for (const table of tablesBehindViews.get(write.table) ?? []) pending.push({ table, action: write.action })
    if (write.action === 'insert') continue
    for (const { child, parent, on_delete, on_update } of foreignKeys) {
      if (parent !== write.table) continue
      const effect = write.action === 'delete' ? on_delete : on_update
      if (effect === 'cascade') pending.push({ table: child, action: write.action })
      else if (effect.startsWith('set ')) pending.push({ table: child, action: 'update' })
    }
  }
  return [...new Set([...seen].map((key) => key.slice(key.indexOf(' ') + 1)))]
}

/** Queries of the catalogue whose rows are `ForeignKey`s. */
export const foreignKeyQueries = {
  sqlite: `
    select lower(child.name) as child, lower(key."table") as parent,
      lower(key.on_delete) as on_delete, lower(key.on_update) as on_update
    from sqlite_master as child, pragma_foreign_key_list(child.name) as key
    where child.type = 'table'`,
  postgres: `
    select child.relname as child, parent.relname as parent,
      case confdeltype when 'c' then 'cascade' when 'n' then 'set null' when 'd' then 'set default' else '' end on_delete,
      case confupdtype when 'c' then 'cascade' when 'n' then 'set null' when 'd' then 'set default' else '' end on_update
    from pg_constraint
    join pg_class as child on child.oid = conrelid
    join pg_class as parent on parent.oid = confrelid
    where contype = 'f'`,
}
