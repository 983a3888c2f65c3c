import sql, { raw, type Sql } from 'sql-template-tag'
import type { Db, Dialect } from '../../db/db.ts'
import type { Finding, ListedFinding, StoredIdentifier } from './finding.ts'
import { hasFix } from './fix-sql.ts'
import { confidenceOf, type Ranked, type State, severityOf } from './scales.ts'

export type FindingRow = Ranked<Finding>

/**
 * Import or time of the newest complete scan after the stored one that covers the finding `f` in the occurrence `o`,
 * for the whole ref or one of its categories. Each category takes one index lookup, however many scans there are: `+`
 * removes SQLite's affinity of the column, with which it would not use the index of an expression.
 */
export const newestScan = (column: 'import_id' | 'observed_at'): Sql => sql`(
  select max(newest.${raw(column)}) from (
    select (
      select s.${raw(column)} from scans s
      where s.scanner_id = f.scanner_id and s.report_type = f.report_type and s.ref = o.ref
        and coalesce(s.category_id, 0) = c.id and s.is_complete = true and s.import_id > o.last_import_id
      order by s.import_id desc limit 1) as ${raw(column)}
    from (
      select 0 as id union all select +category_id from occurrence_categories where occurrence_id = o.id
    ) as c) as newest)`

const names = [
  ...['id', 'project_id', 'vulnerability_id', 'uuid', 'report_type', 'scanner_id', 'primary_identifier_id', 'name'],
  ...['description', 'solution', 'severity', 'confidence', 'cve', 'package_url', 'location', 'location_fingerprint'],
  ...['details', 'metadata_version', 'raw_metadata', 'detected_at', 'created_at', 'updated_at', 'version'],
]

/** Columns of the table `findings`, aliased `f`. */
export const findingColumns: Sql = raw(names.map((name) => `f.${name}`).join(', '))

/** The same columns as an object `finding` in the row. */
export const nestedFindingColumns: Sql = raw(names.map((name) => `f.${name} as "finding.${name}"`).join(', '))

export function findingFrom(row: FindingRow): Finding {
  // Changes the row in place, because each statement builds its own rows.
  return Object.assign(row, { severity: severityOf(row.severity), confidence: confidenceOf(row.confidence) })
}

export type ListedFindingRow = Omit<Ranked<ListedFinding>, 'state' | 'identifiers' | 'hasTriage' | 'hasFix'> & {
  state: State | null
  /** A number on SQLite, as every computed boolean. */
  hasTriage: boolean | number
  hasFix: boolean | number
  /** JSON of the child rows. */
  identifiers: string
}

/** Severity of the finding `f` in lists: the overridden one of its vulnerability, else the scanner's. */
export const shownSeverity: Sql = sql`coalesce((
  select v.severity from vulnerabilities v where v.id = f.vulnerability_id and v.is_severity_overridden = true), f.severity)`

/**
 * State of the finding `f` in lists of a ref: that of its vulnerability, which can be dismissed on that ref alone, or
 * `detected` without one.
 */
export const shownStateOn = (ref: Sql): Sql => sql`coalesce((
  select case when v.state in ('detected', 'confirmed') and exists (
    select 1 from ref_dismissals d where d.vulnerability_id = v.id and d.ref = ${ref}) then 'dismissed' else v.state end
  from vulnerabilities v where v.id = f.vulnerability_id), 'detected')`

/**
 * Version of a listed finding: equal texts mean that nothing that a list shows has changed, apart from the history and
 * the links of its vulnerability. The tables `findings`, `occurrences` and `vulnerabilities` are aliased `f`, `o` and
 * `v`. Child rows of a finding change only with its row.
 */
export const listedVersion: Sql = sql`f.version || ' ' || coalesce(o.severity, 0) || ' ' || coalesce(o.last_import_id, 0)
  || ' ' || coalesce(v.version, -1)`

/** Whether the vulnerability `v` of a listed finding has history or links, which a list shows. */
export const hasTriage: Sql = sql`(
  exists (select 1 from vulnerability_history h where h.vulnerability_id = v.id and h.kind = 'state')
  or exists (select 1 from vulnerability_links l where l.vulnerability_id = v.id))`

/** Columns of the table `scanners`, aliased `s`, as an object `scanner` in the row. */
const nestedScannerColumns: Sql = sql`s.id as "scanner.id", s.external_id as "scanner.external_id",
  s.name as "scanner.name", s.vendor as "scanner.vendor"`

/** Scanner and identifiers of the finding `f`, as `scanner` and `identifiers`. The table `scanners` is aliased `s`. */
export const originColumns = (dialect: Dialect): Sql => sql`${nestedScannerColumns}, (
    select ${dialect.jsonRows(sql`i.id, i.external_type, i.external_id, i.name, i.url`, sql`fi.position`)}
    from finding_identifiers fi join identifiers i on i.id = fi.identifier_id where fi.finding_id = f.id
  ) as identifiers`

/** Columns of the tables `findings`, `occurrences`, `scanners` and `vulnerabilities`, aliased `f`, `o`, `s` and `v`. */
export const listedFindingColumns = ({
  dialect,
}: Db): Sql => sql`f.id, f.vulnerability_id, f.uuid, f.report_type, f.name,
  f.description, f.solution, coalesce(o.severity, f.severity) as severity, f.confidence, f.package_url, f.location, f.details,
  f.extras, coalesce(o.state, v.state) as state, ${listedVersion} as version, ${hasTriage} as has_triage,
  ${hasFix('f')} as has_fix, ${originColumns(dialect)}`

export function listedFindingFrom(row: ListedFindingRow): ListedFinding {
  return Object.assign(
    { ...row },
    {
      severity: severityOf(row.severity),
      confidence: confidenceOf(row.confidence),
      state: row.state ?? ('detected' as const),
      hasTriage: Boolean(row.hasTriage),
      hasFix: Boolean(row.hasFix),
      identifiers: readIdentifiers(row.identifiers),
    },
  )
}

/** Reads identifiers in the order of the report; the first one is the primary identifier. */
export function readIdentifiers(json: string): StoredIdentifier[] {
  const rows: [number, string, string, string, string | null][] = JSON.parse(json)
  return rows.map(([id, externalType, externalId, name, url]) => ({ id, externalType, externalId, name, url }))
}

/** Tables with a unique key per project, and the column of that key. */
const keyColumns = { findings: 'uuid', finding_matches: 'uuid', identifiers: 'fingerprint' } as const

/**
 * Returns a condition on ids: the rows of a table that have one of these keys in the project. Every lookup is a
 * subquery for one key, so that PostgreSQL uses the unique index. For a list of keys it may scan the whole project
 * until a table that has grown quickly is analysed.
 */
export function idsOfKeys(
  { dialect }: Db,
  table: keyof typeof keyColumns,
  projectId: number,
  keys: readonly string[],
): Sql {
  const key = raw(keyColumns[table])
  return dialect.among(sql`
    select (select k.id from ${raw(table)} k where k.project_id = ${projectId} and k.${key} = l.value) as id
    from ${dialect.texts(keys)} as l`)
}
