import { createHash } from 'node:crypto'
import sql, { bulk, empty, join, raw, type Sql } from 'sql-template-tag'
import { maxBoundRows } from './column-values.ts'
import type { ColumnValues, Dialect, IdRange, RecordColumn, RecordColumns } from './db.ts'
import { snakeCase } from './rows.ts'

/** Numbers of rows in statements with bound rows. Unused rows are filled with nulls and filtered out. */
const boundRowCounts = [1, 10, maxBoundRows]

export const sqliteDialect: Dialect = {
  engine: 'sqlite',
  integers: (values) => sql`(select value from json_each(${JSON.stringify(values)}))`,
  texts: (values) => sql`(select value from json_each(${JSON.stringify(values)}))`,
  records(rows, columns) {
    const fields = Object.entries(columns).map(([name, type], index) => {
      const field = type === 'json' ? `nullif(value -> ${index}, 'null')` : `value ->> ${index}`
      return raw(`${field} as ${quoted(snakeCase(name))}`)
    })
    // Fields of any object can be read by name.
    const values = rows.map((row) => Object.keys(columns).map((name) => (row as Record<string, unknown>)[name]))
    return sql`(select ${join(fields)} from json_each(${JSON.stringify(values)}))`
  },
  boundRows: (rows, columns) => boundRows(rows, columns, (column) => column),
  forUpdate: empty,
  forNoKeyUpdate: empty,
  forNoKeyUpdateOf: () => empty,
  forKeyShare: empty,
  similarity: (column, text) => sql`similarity(${column}, ${text})`,
  containsTerms(table, columns, terms, range) {
    const index = raw(quoted(`${table}_search`))
    const found = (match: string) =>
      sql`${raw(quoted(table))}.id in
        (select rowid from ${index} where ${index} match ${match} ${within(sql`rowid`, range)})`
    const [only, ...others] = terms
    if (only === undefined || others.length === 0) {
      return found(columns.map((column) => `${column} : ${phrase(only ?? '')}`).join(' OR '))
    }
    // Few rows match several terms, so reading them is cheaper than reading the index for all parts of all terms.
    const parts = new Set(terms.flatMap(partsOf))
    const candidates = found(`{${columns.join(' ')}} : (${[...parts].map(phrase).join(' AND ')})`)
    const texts = JSON.stringify(terms)
    const contains = columns.map((name) => sql`contains_all(${raw(`${quoted(table)}.${quoted(name)}`)}, ${texts})`)
    return sql`(${candidates} and (${join(contains, ' or ')}))`
  },
  searchedAtOnce: 5_000,
  indexedBy: (index) => sql`indexed by ${raw(quoted(index))}`,
  among: (ids) => sql`in (${ids})`,
  partOfUnion: (select) => select,
  jsonRows: (values, order) => sql`json_group_array(json_array(${values}) order by ${order})`,
  resembles(table, column, text) {
    const parts = new Set<string>()
    for (let start = 0; start + 3 <= text.length; start++) parts.add(text.slice(start, start + 3))
    const index = raw(quoted(`${table}_search`))
    const match = [...parts].map(phrase).join(' OR ')
    const found = sql`select rowid from ${index} where ${index} match ${`${column} : (${match || '"   "'})`}`
    return sql`${raw(quoted(table))}.id in (${found})`
  },
  contains: (column, text) => sql`instr(unicode_lower(${column}), ${unicodeLower(text)}) > 0`,
  asciiLower: (text) => sql`lower(${text})`,
  day: (time) => sql`substr(${time}, 1, 10)`,
  seconds: (time) => sql`unixepoch(${time})`,
}

export const postgresDialect: Dialect = {
  engine: 'postgres',
  integers: (values) => elementsOf(values, raw('bigint')),
  texts: (values) => elementsOf(values.map(quotedElement), raw('text')),
  records(rows, columns) {
    if (Object.values(columns).every((type) => type === 'integer')) return integerRows(rows, columns)
    const named = rows.map((row) => {
      // A list of names in JSON.stringify would also filter nested values.
      const kept: Record<string, unknown> = {}
      // Fields of any object can be read by name.
      for (const name of Object.keys(columns)) kept[snakeCase(name)] = (row as Record<string, unknown>)[name]
      return kept
    })
    return recordSet(JSON.stringify(named), columns)
  },
  boundRows: (rows, columns) =>
    // All parameters are text, because nothing in the list of values determines another type.
    boundRows(rows, columns, (column, type) => `${column}::${postgresTypes[type]}`),
  forUpdate: sql`for update`,
  forNoKeyUpdate: sql`for no key update`,
  forNoKeyUpdateOf: (alias) => sql`for no key update of ${raw(quoted(alias))}`,
  forKeyShare: sql`for key share`,
  similarity: (column, text) => sql`round(similarity(${column}, ${text})::numeric, 2)`,
  containsTerms(table, columns, terms, range) {
    const has = (column: string) => (term: string) =>
      postgresDialect.contains(raw(`${quoted(table)}.${quoted(column)}`), term)
    return sql`(${join(
      columns.map((column) => sql`(${join(terms.map(has(column)), ' and ')})`),
      ' or ',
    )}) ${within(sql`${raw(quoted(table))}.id`, range)}`
  },
  searchedAtOnce: Number.POSITIVE_INFINITY,
  indexedBy: () => empty,
  // An array instead of a subquery, so that PostgreSQL can combine an index with other conditions.
  among: (ids) => sql`= any(array(${ids}))`,
  // PostgreSQL does not infer that an index returns a branch in the order of the whole union, and would read and sort
  // all rows.
  partOfUnion: (select, orderAndLimit) => sql`(${select} ${orderAndLimit})`,
  jsonRows: (values, order) => sql`coalesce(json_agg(json_build_array(${values}) order by ${order})::text, '[]')`,
  resembles: (table, column, text) => sql`lower(${raw(`${quoted(table)}.${quoted(column)}`)}) % lower(${text})`,
  // `like` instead of `strpos`, because a trigram index on lower(column) supports it.
  contains: (column, text) => sql`lower(${column}) like lower(${`%${text.replace(/[\\%_]/g, '\\$&')}%`})`,
  asciiLower: (text) => sql`lower(${text} collate "C")`,
  day: (time) => sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD')`,
  seconds: (time) => sql`cast(floor(extract(epoch from ${time})) as bigint)`,
}

/** Returns the first, middle and last three characters of a term. The index returns every row that contains them all. */
function partsOf(term: string): string[] {
  const characters = [...term]
  const last = characters.length - 3
  return [0, Math.floor(last / 2), last].map((start) => characters.slice(start, start + 3).join(''))
}

/** Whether the text contains all terms, which are a JSON array, regardless of case. A query has many texts and one array. */
export function containsAll(text: string, termsJson: string): boolean {
  if (termsJson !== contained.json) {
    const terms = JSON.parse(termsJson) as string[] // written by `containsTerms`
    contained = { json: termsJson, terms: terms.map(folded) }
  }
  const whole = folded(text)
  return contained.terms.every((term) => whole.includes(term))
}

let contained: { json: string; terms: string[] } = { json: '[]', terms: [] }

/** Final sigma, micro sign and long s. */
const otherForms = /[\u03c2\u00b5\u017f]/g
const usualForms: Readonly<Record<string, string>> = { '\u03c2': '\u03c3', '\u00b5': '\u03bc', '\u017f': 's' }

/** Lowers the case, and replaces other forms of a letter like the trigram index does. */
const folded = (text: string) => unicodeLower(text).replace(otherForms, (form) => usualForms[form] ?? form)

/** Quotes a text for a query of the full-text index. */
const phrase = (text: string) => `"${text.replaceAll('"', '""')}"`

function boundRows(
  rows: readonly ColumnValues[],
  columns: RecordColumns,
  converted: (column: string, type: RecordColumn) => string,
): Sql {
  const entries = Object.entries(columns)
  const count = boundRowCounts.find((count) => count >= rows.length)
  if (count === undefined) throw new Error(`${rows.length} rows are too many for one statement`)
  const values = [...rows, ...Array<ColumnValues>(count - rows.length).fill(entries.map(() => null))]
  const fields = entries.map(([name, type], index) =>
    raw(`${converted(`column${index + 1}`, type)} as ${quoted(snakeCase(name))}`),
  )
  return sql`(select ${join(fields)} from (values ${bulk(values)}) as listed where column1 is not null)`
}

/**
 * Returns the one-column table of the elements of an array literal. The subquery hides the array from the planner, which
 * then assumes ten elements. From a JSON list it assumes a hundred, and reads the whole of a table with several hundred
 * pages instead of using an index.
 */
const elementsOf = (elements: readonly (string | number)[], type: Sql): Sql =>
  sql`(select unnest((select ${`{${elements.join()}}`}::${type}[])) as value)`

/** Returns a text as an element of an array literal. */
const quotedElement = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`

/**
 * Returns the table that PostgreSQL reads from one array per column, which is faster than a JSON list of objects. The
 * subqueries hide the number of rows from the planner: for many rows it would scan tables instead of looking up ids.
 */
function integerRows(rows: readonly object[], columns: RecordColumns): Sql {
  const names = Object.keys(columns)
  const arrays = names.map((name) => {
    // Fields of any object can be read by name.
    const values = rows.map((row) => (row as Record<string, unknown>)[name] ?? null)
    return sql`(select ${`{${JSON.stringify(values).slice(1, -1)}}`}::bigint[])`
  })
  const fields = names.map((name) => quoted(snakeCase(name)))
  return sql`(select * from unnest(${join(arrays)}) as listed(${raw(fields.join(', '))}))`
}

/** Returns the table that PostgreSQL reads from a JSON list of objects. */
function recordSet(text: string, columns: RecordColumns): Sql {
  const fields = Object.entries(columns).map(([name, type]) => `${quoted(snakeCase(name))} ${postgresTypes[type]}`)
  return sql`(select * from json_to_recordset(${text}::json) as listed(${raw(fields.join(', '))}))`
}

function within(id: Sql, range: IdRange | undefined): Sql {
  return range ? sql`and ${id} > ${range.above} and ${id} <= ${range.upTo}` : empty
}

const postgresTypes: Record<RecordColumn, string> = {
  text: 'text',
  integer: 'bigint',
  boolean: 'boolean',
  json: 'json', // not jsonb, which would reorder keys
  timestamp: 'timestamptz',
  float: 'double precision',
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Converts a value for binding: undefined to null, objects to JSON text. Each engine converts it further. */
export function plainValue(value: unknown): string | number | bigint | boolean | null | Buffer {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return value
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be stored`)
      return value
    case 'undefined':
      return null
    case 'object':
      if (value === null || Buffer.isBuffer(value)) return value
      if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      if (value instanceof Date) throw new TypeError('bind times as ISO 8601 text, not as Date')
      return JSON.stringify(value)
    default:
      throw new TypeError(`a ${typeof value} cannot be stored`)
  }
}

/** Converts PostgreSQL's `2026-01-02 03:04:05.6+00` to ISO 8601. Leaves infinity and years BC unchanged. */
export function isoTime(text: string): string {
  if (!text.endsWith('+00')) return text
  const milliseconds = text.slice(20, -3).padEnd(3, '0').slice(0, 3)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`
}

const maxNamedStatements = 1000
const statementNames = new Map<string, string>()

/**
 * Returns the name of a prepared statement, which PostgreSQL prepares once per connection. Statements beyond a limit
 * stay unnamed, to save the server's memory.
 */
export function statementName(text: string): string | undefined {
  const known = statementNames.get(text)
  if (known || statementNames.size >= maxNamedStatements) return known
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 20)
  statementNames.set(text, name)
  return name
}

/**
 * Converts to lower case per character, like PostgreSQL. `toLowerCase` depends on the neighbours of a sigma and
 * converts a dotted capital I to two characters.
 */
export function unicodeLower(text: string): string {
  return text.replaceAll('Σ', 'σ').replaceAll('İ', 'i').toLowerCase()
}

/**
 * Returns pg_trgm's similarity, rounded to two decimals: the number of shared trigrams divided by the number in either
 * text. A query compares many texts with the same `b`, whose trigrams are cached.
 */
export function similarity(a: string, b: string): number {
  if (b !== compared.text) compared = { text: b, trigrams: trigrams(b) }
  const right = compared.trigrams
  const { size, shared } = compareAscii(a, right) ?? compareAny(a, right)
  if (size === 0 || right.size === 0) return 0
  const union = size + right.size - shared
  // Integer arithmetic, because 57/200 = 0.285 must round to 0.29, and binary fractions would round it down.
  return Math.floor((200 * shared + union) / (2 * union)) / 100
}

let compared = { text: '', trigrams: new Set<number>() }

/** Number of distinct trigrams in a text, and how many of them are shared. */
interface Comparison {
  size: number
  shared: number
}

function compareAny(text: string, right: ReadonlySet<number>): Comparison {
  const left = trigrams(text)
  let shared = 0
  for (const trigram of left) if (right.has(trigram)) shared++
  return { size: left.size, shared }
}

/**
 * Compares short ASCII texts in a quarter of the time; a search may compare tens of thousands of names. Trigrams are
 * stored in a hash table that is never cleared: entries of earlier texts have an older round number.
 */
function compareAscii(text: string, right: ReadonlySet<number>): Comparison | undefined {
  if (text.length > tableSize / 2) return undefined
  const comparison = { size: 0, shared: 0 }
  if (round === 0x7fff_ffff) tableRounds.fill(0)
  round = round === 0x7fff_ffff ? 1 : round + 1
  let first = blank
  let second = blank
  let isInside = false
  for (let index = 0; index <= text.length; index++) {
    const code = index < text.length ? text.charCodeAt(index) : blank
    if (code > 0x7f) return undefined
    const lower = code >= 0x41 && code <= 0x5a ? code + 0x20 : code
    const isLetter = (lower >= 0x61 && lower <= 0x7a) || (lower >= 0x30 && lower <= 0x39)
    const third = isLetter ? lower : blank
    if (isLetter || isInside) {
      const trigram = packed(first, second, third)
      if (addToTable(trigram)) {
        comparison.size++
        if (right.has(trigram)) comparison.shared++
      }
    }
    first = isLetter ? second : blank
    second = third
    isInside = isLetter
  }
  return comparison
}

const tableSize = 1024
const tableKeys = new Int32Array(tableSize)
const tableRounds = new Int32Array(tableSize)
let round = 0

/** Adds a trigram to the hash table. Returns false when it was already added in this round. */
function addToTable(trigram: number): boolean {
  let slot = (trigram ^ (trigram >>> 15)) & (tableSize - 1)
  while (tableRounds[slot] === round) {
    if (tableKeys[slot] === trigram) return false
    slot = (slot + 1) & (tableSize - 1)
  }
  tableRounds[slot] = round
  tableKeys[slot] = trigram
  return true
}

/** Returns the trigrams of all words. Each word is lower-cased and padded with two spaces before and one after. */
function trigrams(text: string): Set<number> {
  const found = new Set<number>()
  let first = blank
  let second = blank
  let isInside = false
  for (const character of `${unicodeLower(text)} `) {
    const isLetter = isLetterOrDigit(character)
    const third = isLetter ? (character.codePointAt(0) ?? blank) : blank
    if (isLetter || isInside) found.add(packed(first, second, third))
    first = isLetter ? second : blank
    second = third
    isInside = isLetter
  }
  return found
}

const blank = 0x20

/**
 * Packs three characters into one integer, which is faster to look up than text. Distinct ASCII trigrams never collide.
 */
function packed(first: number, second: number, third: number): number {
  return (Math.imul(first, 0x1f0_0001) ^ Math.imul(second, 0x8_2003) ^ third) | 0
}

function isLetterOrDigit(character: string): boolean {
  if (character > '\x7f') return /[\p{Alphabetic}\p{Nd}]/u.test(character)
  return (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9')
}
