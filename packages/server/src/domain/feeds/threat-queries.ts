import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { EpssScore, KevEntry, OsvAlias } from './feed.ts'

/** Returns the aliases of identifiers, which are in capitals. */
export function listAliases(db: Db, names: readonly string[]): Promise<OsvAlias[]> {
  return db.all(sql`
    select a.name, a.alias from feeds f join osv_aliases a on a.generation = f.generation
    where f.kind = 'osv' and a.name in ${db.dialect.texts(names)} order by a.name, a.alias`)
}

export function listScores(db: Db, cves: readonly string[]): Promise<EpssScore[]> {
  return db.all(sql`
    select e.cve, e.score_millionths, e.percentile_millionths
    from feeds f join epss_scores e on e.generation = f.generation
    where f.kind = 'epss' and e.cve in ${db.dialect.texts(cves)} order by e.cve`)
}

/** Returns the entries of the CVEs in the catalogue of known exploited vulnerabilities. */
export function listKevEntries(db: Db, cves: readonly string[]): Promise<KevEntry[]> {
  return db.all(sql`
    select k.cve, k.added_on, k.due_on, k.is_ransomware from feeds f join kev_entries k on k.generation = f.generation
    where f.kind = 'kev' and k.cve in ${db.dialect.texts(cves)} order by k.cve`)
}

/** Returns those of the CVEs that are known to be exploited. */
export async function listKnownExploited(db: Db, cves: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ cve: string }>(sql`
    select k.cve from feeds f join kev_entries k on k.generation = f.generation
    where f.kind = 'kev' and k.cve in ${db.dialect.texts(cves)} order by k.cve`)
  return rows.map(({ cve }) => cve)
}
