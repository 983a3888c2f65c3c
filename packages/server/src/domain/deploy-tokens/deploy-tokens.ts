import { invalid, notFound } from '../../platform/failure.ts'
import type { AuditEventName } from '../audit/event-name.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, transaction } from '../deps.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import { findEntity } from '../projects/audited-place.ts'
import { digestToken, mintToken } from '../tokens/tokens.ts'
import type { DeployToken, DeployTokenOwner } from './deploy-token.ts'
import {
  countDeployTokens,
  deleteDeployToken,
  findDeployToken,
  insertDeployToken,
  listDeployTokens,
} from './deploy-token-queries.ts'

/** Returns the tokens of a project or group, or of the whole instance. */
export async function findDeployTokens(
  { db, now }: Deps,
  owner: DeployTokenOwner | undefined,
  isActive: boolean,
  page: PageRequest,
): Promise<Page<DeployToken>> {
  const filter = { owner, activeAt: isActive ? now() : undefined }
  const [rows, total] = await Promise.all([listDeployTokens(db, filter, page), countDeployTokens(db, filter)])
  return pageOf(page, rows, total)
}

export async function getDeployToken({ db }: Deps, owner: DeployTokenOwner, id: number): Promise<DeployToken> {
  const token = await findDeployToken(db, owner, id)
  if (!token) throw notFound()
  return token
}

const maxCharacters = 255

/** Creates a deploy token and returns its secret, of which only the digest is stored. It authenticates nothing. */
export function createDeployToken(
  deps: Deps,
  owner: DeployTokenOwner,
  draft: Pick<DeployToken, 'name' | 'username' | 'scopes' | 'expiresAt'>,
): Promise<{ token: DeployToken; secret: string }> {
  if (draft.scopes.length === 0) throw invalid({ scopes: ["can't be blank"] })
  for (const name of ['name', 'username'] as const) {
    const length = draft[name]?.length
    if (length === 0) throw invalid({ [name]: ["can't be blank"] })
    if (length !== undefined && length > maxCharacters) {
      throw invalid({ [name]: [`is too long (maximum is ${maxCharacters} characters)`] })
    }
  }
  return transaction(deps, async (deps) => {
    const secret = mintToken(deps.random)
    const token = await insertDeployToken(deps.db, owner, draft, { digest: digestToken(secret), now: deps.now() })
    await recordChange(deps, 'deploy_token_created', owner, token)
    return { token, secret }
  })
}

export function removeDeployToken(deps: Deps, owner: DeployTokenOwner, id: number): Promise<void> {
  return transaction(deps, async (deps) => {
    const token = await getDeployToken(deps, owner, id)
    if (!(await deleteDeployToken(deps.db, owner, id))) throw notFound()
    await recordChange(deps, 'deploy_token_revoked', owner, token)
  })
}

async function recordChange(
  deps: Deps,
  name: AuditEventName & `deploy_token_${string}`,
  owner: DeployTokenOwner,
  token: DeployToken,
): Promise<void> {
  await recordAuditEvent(deps, name, {
    entity: await findEntity(deps, owner),
    message: `${name === 'deploy_token_created' ? 'Created' : 'Deleted'} the deploy token ${token.id}`,
    target: { type: 'DeployToken', id: token.id, name: token.name },
  })
}
