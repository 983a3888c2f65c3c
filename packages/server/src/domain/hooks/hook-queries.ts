import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Hook, HookDraft, HookOwner } from './hook.ts'

function isOf(owner: HookOwner): Sql {
  if (owner.kind === 'instance') return sql`namespace_id is null and project_id is null`
  return owner.kind === 'project' ? sql`project_id = ${owner.id}` : sql`namespace_id = ${owner.id}`
}

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

/** Locks a hook until the transaction ends, and returns it. */
export async function lockHook(db: Db, id: number): Promise<Hook | undefined> {
  return db.one(sql`select ${columns} from hooks where id = ${id} ${db.dialect.forUpdate}`)
}

export async function insertHook(db: Db, owner: HookOwner, draft: HookDraft, now: string): Promise<Hook> {
  const [projectId, namespaceId] = [
    owner.kind === 'project' ? owner.id : null,
    owner.kind === 'group' ? owner.id : null,
  ]
  const row = await db.one<Hook>(sql`
    insert into hooks (project_id, namespace_id, url, name, description, token, signing_token, format, min_severity,
      states, refs, project_ids, saved_view_id, has_vulnerability_events, has_import_events, has_upload_events,
      has_topic_events, has_member_events, has_access_token_events, has_token_events, verifies_certificates,
      custom_headers, url_variables, created_at, updated_at)
    values (${projectId}, ${namespaceId}, ${draft.url}, ${draft.name}, ${draft.description}, ${draft.token},
      ${draft.signingToken}, ${draft.format}, ${draft.minSeverity}, ${draft.states}, ${draft.refs}, ${draft.projectIds},
      ${draft.savedViewId}, ${draft.hasVulnerabilityEvents}, ${draft.hasImportEvents}, ${draft.hasUploadEvents}, ${draft.hasTopicEvents},
      ${draft.hasMemberEvents}, ${draft.hasAccessTokenEvents}, ${draft.hasTokenEvents}, ${draft.verifiesCertificates},
      ${draft.customHeaders}, ${draft.urlVariables}, ${now}, ${now})
    returning ${columns}`)
  if (!row) throw new Error('an inserted hook returned no row')
  return row
}

export async function updateHook(db: Db, id: number, draft: HookDraft, now: string): Promise<Hook | undefined> {
  return db.one(sql`
    update hooks set url = ${draft.url}, name = ${draft.name}, description = ${draft.description},
      token = ${draft.token}, signing_token = ${draft.signingToken}, format = ${draft.format},
      min_severity = ${draft.minSeverity}, states = ${draft.states}, refs = ${draft.refs},
      project_ids = ${draft.projectIds}, saved_view_id = ${draft.savedViewId},
      has_vulnerability_events = ${draft.hasVulnerabilityEvents},
      has_import_events = ${draft.hasImportEvents}, has_upload_events = ${draft.hasUploadEvents},
      has_topic_events = ${draft.hasTopicEvents}, has_member_events = ${draft.hasMemberEvents},
      has_access_token_events = ${draft.hasAccessTokenEvents}, has_token_events = ${draft.hasTokenEvents},
      verifies_certificates = ${draft.verifiesCertificates}, custom_headers = ${draft.customHeaders},
      url_variables = ${draft.urlVariables}, updated_at = ${now}
    where id = ${id} returning ${columns}`)
}

/** Returns the ids of the hooks that a saved view filters. */
export async function listHookIdsOfView(db: Db, savedViewId: number): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`select id from hooks where saved_view_id = ${savedViewId} order by id`)
  return rows.map(({ id }) => id)
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
  min_severity, states, refs, project_ids, saved_view_id, has_vulnerability_events, has_import_events,
  has_upload_events, has_topic_events, has_member_events, has_access_token_events, has_token_events,
  verifies_certificates, custom_headers, url_variables, failures, disabled_until, disabled_at, slow_until, created_at`
