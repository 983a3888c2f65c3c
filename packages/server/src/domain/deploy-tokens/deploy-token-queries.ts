import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { DeployToken, DeployTokenOwner } from './deploy-token.ts'

const columns = sql`id, project_id, namespace_id, name, username, scopes, is_revoked, expires_at`

function isOf(owner: DeployTokenOwner | undefined): Sql {
  if (!owner) return sql`1 = 1`
  return owner.kind === 'project' ? sql`project_id = ${owner.id}` : sql`namespace_id = ${owner.id}`
}

export interface DeployTokenFilter {
  owner?: DeployTokenOwner | undefined
  /** Only tokens that are neither revoked nor expired at this time. */
  activeAt?: string | undefined
}

const matching = ({ owner, activeAt }: DeployTokenFilter): Sql =>
  activeAt === undefined
    ? isOf(owner)
    : sql`${isOf(owner)} and not is_revoked and (expires_at is null or expires_at > ${activeAt})`

/** Returns one row more than the page holds. */
export async function listDeployTokens(
  db: Db,
  filter: DeployTokenFilter,
  { perPage, offset }: { perPage: number; offset: number },
): Promise<DeployToken[]> {
  return db.all(sql`
    select ${columns} from deploy_tokens where ${matching(filter)}
    order by id limit ${perPage + 1} offset ${offset}`)
}

export async function countDeployTokens(db: Db, filter: DeployTokenFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from deploy_tokens where ${matching(filter)}`)
  return row?.total ?? 0
}

export async function findDeployToken(db: Db, owner: DeployTokenOwner, id: number): Promise<DeployToken | undefined> {
  return db.one(sql`select ${columns} from deploy_tokens where ${isOf(owner)} and id = ${id}`)
}

export async function insertDeployToken(
  db: Db,
  owner: DeployTokenOwner,
  draft: Pick<DeployToken, 'name' | 'username' | 'scopes' | 'expiresAt'>,
  { digest, now }: { digest: string; now: string },
): Promise<DeployToken> {
  const row = await db.one<DeployToken>(sql`
    insert into deploy_tokens (project_id, namespace_id, name, username, scopes, token_digest, expires_at, created_at)
    values (${owner.kind === 'project' ? owner.id : null}, ${owner.kind === 'group' ? owner.id : null}, ${draft.name},
      ${draft.username}, ${draft.scopes}, ${digest}, ${draft.expiresAt}, ${now})
    returning ${columns}`)
  if (!row) throw new Error('an inserted deploy token did not come back')
  return row
}

/** Returns false when there is no such token. */
export async function deleteDeployToken(db: Db, owner: DeployTokenOwner, id: number): Promise<boolean> {
  return (await db.run(sql`delete from deploy_tokens where ${isOf(owner)} and id = ${id}`)) === 1
}
