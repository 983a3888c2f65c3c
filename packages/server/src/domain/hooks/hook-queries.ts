import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Hook, HookDraft, HookOwner } from './hook.ts'

const isOf = ({ kind, id }: HookOwner): Sql =>
  kind === 'project' ? sql`project_id = ${id}` : sql`namespace_id = ${id}`

export async function listHooks(db: Db, owner: HookOwner, offset: number, perPage: number): Promise<Hook[]> {
  return db.all(sql`
    select ${columns} from hooks where ${isOf(owner)} order by id limit ${perPage + 1} offset ${offset}`)
}

export async function countHooks(db: Db, owner: HookOwner): Promise<number> {
  const row = await db.one<{ total: number }>(sql`select count(*) as total from hooks where ${isOf(owner)}`)
  return row?.total ?? 0
}

export async function findHook(db: Db, id: number): Promise<Hook | undefined> {
  return db.one(sql`select ${columns} from hooks where id = ${id}`)
}

export async function insertHook(db: Db, owner: HookOwner, draft: HookDraft, now: string): Promise<Hook> {
  const row = await db.one<Hook>(sql`
    insert into hooks (${owner.kind === 'project' ? sql`project_id` : sql`namespace_id`}, url, name, description, token, signing_token,
      format, min_severity, has_vulnerability_events, has_access_token_events, verifies_certificates, created_at, updated_at)
    values (${owner.id}, ${draft.url}, ${draft.name}, ${draft.description}, ${draft.token}, ${draft.signingToken},
      ${draft.format}, ${draft.minSeverity}, ${draft.hasVulnerabilityEvents}, ${draft.hasAccessTokenEvents}, ${draft.verifiesCertificates}, ${now}, ${now})
    returning ${columns}`)
  if (!row) throw new Error('an inserted hook returned no row')
  return row
}

export async function updateHook(db: Db, id: number, draft: HookDraft, now: string): Promise<Hook | undefined> {
  return db.one(sql`
    update hooks set url = ${draft.url}, name = ${draft.name}, description = ${draft.description},
      token = ${draft.token}, signing_token = ${draft.signingToken}, format = ${draft.format},
      min_severity = ${draft.minSeverity}, has_vulnerability_events = ${draft.hasVulnerabilityEvents},
      has_access_token_events = ${draft.hasAccessTokenEvents},
      verifies_certificates = ${draft.verifiesCertificates}, updated_at = ${now}
    where id = ${id} returning ${columns}`)
}

/** Deletes a hook. Returns false when it does not exist. */
export async function deleteHook(db: Db, owner: HookOwner, id: number): Promise<boolean> {
  return (await db.run(sql`delete from hooks where id = ${id} and ${isOf(owner)}`)) === 1
}

export async function resetFailures(db: Db, id: number): Promise<void> {
  await db.run(sql`
    update hooks set failures = 0, disabled_until = null, disabled_at = null
    where id = ${id} and (failures > 0 or disabled_until is not null or disabled_at is not null)`)
}

export async function addFailure(
  db: Db,
  id: number,
  { until, at }: { until: string; at: string | null },
): Promise<void> {
  await db.run(sql`
    update hooks set failures = failures + 1, disabled_until = ${until}, disabled_at = ${at} where id = ${id}`)
}

export async function setSlowUntil(db: Db, id: number, until: string | null): Promise<void> {
  await db.run(sql`update hooks set slow_until = ${until} where id = ${id}`)
}

const columns: Sql = sql`id, project_id, namespace_id, url, name, description, token, signing_token, format,
  min_severity, has_vulnerability_events, has_access_token_events, verifies_certificates, failures, disabled_until, disabled_at, slow_until, created_at`
