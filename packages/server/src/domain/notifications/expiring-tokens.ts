import { instanceUrl } from '../../platform/settings/settings.ts'
import { roles } from '../access/roles.ts'
import type { Deps, RootDeps } from '../deps.ts'
import { lineageOf } from '../namespaces/namespace.ts'
import { findNamespaceById } from '../namespaces/namespaces.ts'
import { currentVisitor, isStillPermitted } from '../projects/current-rights.ts'
import { findProjectById } from '../projects/projects.ts'
import { groupLevel } from '../projects/visible.ts'
import { type ExpiringToken, findExpiringToken, listExpiringTokens } from './expiring-token-queries.ts'
import { notificationKind } from './notification-kind.ts'
import { notifyOnce } from './notify.ts'
import { listSubscribedMembers } from './recipient-queries.ts'

interface Expiry {
  token_id: number
  /** Expiry date when the message was queued. */
  expires_on: string
}

/** A token that expires soon, for its user or for those who manage the project or group. */
export const expiringTokenMail = notificationKind<Expiry>({
  name: 'expiring_tokens',
  async describe(deps, { id: userId }, { token_id: tokenId, expires_on: expiresOn }) {
    const token = await findExpiringToken(deps.db, tokenId)
    if (!token || token.expiresOn !== expiresOn || expiresOn <= deps.now().slice(0, 10)) return undefined
    const owner = await describeOwner(deps, token, userId)
    if (!owner) return undefined
    return {
      subject: `${owner.what} “${token.name}” expires on ${expiresOn}`,
      blocks: [
        `${owner.what} “${token.name}”${owner.of} is valid until the end of the day before ${expiresOn} (UTC).`,
        'Programs that use it are refused from then on. Rotate it or create another one if it is still needed.',
        { link: 'Manage the tokens', url: `${instanceUrl(deps.settings)}${owner.path}` },
      ],
    }
  },
})

interface TokenOwner {
  what: string
  of: string
  path: string
}

/** Returns the owner of a token, if the user may still manage it. */
async function describeOwner(deps: Deps, token: ExpiringToken, userId: number): Promise<TokenOwner | undefined> {
  const { projectId, namespaceId } = token
  if (projectId !== null) {
    const project = await findProjectById(deps.db, projectId)
    const requester = { userId, asAdmin: false }
    if (!project || !(await isStillPermitted(deps, 'access-token.read', project, requester))) return undefined
    const path = `/${project.fullPath}/-/settings/access_tokens`
    return { what: 'The project access token', of: ` of ${project.fullPath}`, path }
  }
  if (namespaceId !== null) {
    const group = await findNamespaceById(deps.db, namespaceId)
    const visitor = await currentVisitor(deps, { userId, asAdmin: false })
    if (!group || !visitor || (await groupLevel(deps, group, visitor)) < roles.owner) return undefined
    const path = `/groups/${group.fullPath}/-/settings/access_tokens`
    return { what: 'The group access token', of: ` of ${group.fullPath}`, path }
  }
  if (token.userId !== userId) return undefined
  return { what: 'Your personal access token', of: '', path: '/-/profile/tokens' }
}

/** Numbers of days before the expiry at which a message is sent, in ascending order. */
const noticeDays = [1, 7, 30] as const
const batchSize = 100
const dayMs = 24 * 60 * 60 * 1000

/** Queues messages about tokens that expire soon, once per token and interval. */
export async function announceExpiringTokens(deps: RootDeps): Promise<void> {
  if (!deps.settings.mail) return
  const today = deps.now().slice(0, 10)
  const inDays = (days: number) => new Date(Date.parse(today) + days * dayMs).toISOString().slice(0, 10)
  const days = { today, inOneDay: inDays(1), inSevenDays: inDays(7), inThirtyDays: inDays(30) }
  for (let afterId = 0; ; ) {
    const tokens = await listExpiringTokens(deps.db, days, afterId, batchSize)
    for (const token of tokens) await announce(deps, token, today)
    const last = tokens.at(-1)
    if (!last || tokens.length < batchSize) return
    afterId = last.id
  }
}

async function announce(deps: RootDeps, token: ExpiringToken, today: string): Promise<void> {
  const daysLeft = (Date.parse(token.expiresOn) - Date.parse(today)) / dayMs
  const days = noticeDays.find((days) => daysLeft <= days)
  // A token that was issued for a shorter time needs no notice of this interval.
  if (days === undefined || lifetimeDays(token) <= days) return
  await notifyOnce(deps, expiringTokenMail, {
    key: `token-expiry:${token.id}:${days}`,
    recipients: (deps) => recipientsOf(deps, token, today),
    data: { token_id: token.id, expires_on: token.expiresOn },
  })
}

const lifetimeDays = ({ createdAt, expiresOn }: ExpiringToken): number =>
  (Date.parse(expiresOn) - Date.parse(createdAt.slice(0, 10))) / dayMs

async function recipientsOf(deps: Deps, token: ExpiringToken, today: string): Promise<readonly number[]> {
  const { projectId, namespaceId } = token
  const project = projectId === null ? undefined : await findProjectById(deps.db, projectId)
  const group = namespaceId === null ? undefined : await findNamespaceById(deps.db, namespaceId)
  const namespace = project?.namespace ?? group
  if (!namespace) return [token.userId]
  const level = project ? roles.maintainer : roles.owner
  const place = { projectId, namespaceIds: lineageOf(namespace) }
  return listSubscribedMembers(deps.db, place, { name: 'expiring_tokens', level, today })
}
