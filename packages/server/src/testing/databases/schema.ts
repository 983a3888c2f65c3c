import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

/** Definitions by the name of what they define. The order of columns is left out, because nothing depends on it. */
export type Schema = Record<string, string | string[]>

/** Reads the definitions of all tables, indexes, triggers, functions and sequences from the database's catalogue. */
export function readSchema(db: Db): Promise<Schema> {
  return db.dialect.engine === 'sqlite' ? readSqlite(db) : readPostgres(db)
}

/** Compares the statements that SQLite stores, of tables split into columns and constraints. */
async function readSqlite(db: Db): Promise<Schema> {
  const rows = await db.all<{ type: string; name: string; text: string }>(sql`
    select type, name, sql as text from sqlite_schema where sql is not null`)
  return Object.fromEntries(
    rows.map(({ type, name, text }) => {
      const plain = withoutLayout(text)
      const isTable = type === 'table' && !plain.startsWith('create virtual')
      return [`${type} ${name}`, isTable ? splitDefinitions(plain) : plain]
    }),
  )
}

/** Removes comments, quotes of identifiers and white space that does not separate words. */
function withoutLayout(text: string): string {
  return text
    .replace(/--.*$/gm, '')
    .replaceAll('"', '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),;]) ?/g, '$1')
    .replace(/^create \w+/i, (start) => start.toLowerCase())
}

/** Splits the body of `create table` at its outer commas. */
function splitDefinitions(text: string): string[] {
  const parts = ['']
  let depth = 0
  for (const character of text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'))) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts.sort()
}

async function readPostgres(db: Db): Promise<Schema> {
  const rows = await db.all<{ name: string; definition: string }>(sql`
    select 'column ' || c.relname || '.' || a.attname as name, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
      case when a.attnotnull then 'not null' end, 'identity ' || nullif(a.attidentity::text, ''),
      'generated ' || nullif(a.attgenerated::text, ''), 'default ' || pg_get_expr(d.adbin, d.adrelid),
      'collate ' || nullif(a.attcollation, 0)) as definition
    from pg_attribute a join pg_class c on c.oid = a.attrelid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
    union all
    select 'table ' || relname, relkind::text || relpersistence::text from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'S')
    union all
    select 'index ' || relname, pg_get_indexdef(oid) from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'i'
    union all
    select 'constraint ' || conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) from pg_constraint
    where connamespace = 'public'::regnamespace
    union all
    select 'trigger ' || tgrelid::regclass || '.' || tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all
    select 'function ' || p.proname, pg_get_functiondef(p.oid) from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    union all
    select 'extension ' || extname, '' from pg_extension`)
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition.replace(/\s+/g, ' ')]))
}
