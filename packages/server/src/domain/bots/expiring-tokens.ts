import { instanceUrl } from '../../platform/settings.ts'
import { type Deps, type RootDeps, transaction } from '../deps.ts'
import type { HookOwner } from '../hooks/hook.ts'
import { findListeners } from '../hooks/record.ts'
import type { Namespace } from '../namespaces/namespace.ts'
import { findNamespaceById } from '../namespaces/namespaces.ts'
import type { Project } from '../projects/project.ts'
import { findProjectById } from '../projects/projects.ts'
import { dayAfter } from '../tokens/issue.ts'
import { type ExpiringToken, insertExpiryNotice, listExpiringTokens } from './expiry-notice-queries.ts'

/** Numbers of days before the expiry at which a notice is sent, in ascending order. */
const noticeDays = [7, 30, 60] as const
const longestNotice = 60
const batchSize = 100
const dayMs = 24 * 60 * 60 * 1000

/** Sends webhook events for access tokens of projects and groups that expire soon, once per token and interval. */
export async function notifyExpiringTokens(deps: RootDeps): Promise<void> {
  const range = { today: deps.now().slice(0, 10), until: dayAfter(deps, longestNotice) }
  for (let afterId = 0; ; ) {
    const tokens = await listExpiringTokens(deps.db, range, afterId, batchSize)
    for (const token of tokens) await notifyOnce(deps, token)
    const last = tokens.at(-1)
    if (!last || tokens.length < batchSize) return
    afterId = last.id
  }
}

function notifyOnce(deps: Deps, token: ExpiringToken): Promise<void> {
  const daysLeft = (Date.parse(token.expiresOn) - Date.parse(deps.now().slice(0, 10))) / dayMs
  const interval = noticeDays.find((days) => daysLeft <= days) ?? longestNotice
  return transaction(deps, async (deps) => {
    const owner = await findOwner(deps, token)
    if (!owner) return
    const listeners = await findListeners(deps, owner, 'access-token')
    if (listeners.isEmpty) return
    if (!(await insertExpiryNotice(deps.db, token.id, interval, deps.now()))) return
    await listeners.record([describe(owner.payload, token)])
    await listeners.send()
  })
}

/** Returns the owner of a token, with its description in the event. */
async function findOwner(
  deps: Deps,
  { projectId, namespaceId }: ExpiringToken,
): Promise<(HookOwner & { payload: object }) | undefined> {
  if (projectId !== null) {
    const project = await findProjectById(deps.db, projectId)
    return project && { kind: 'project', id: projectId, payload: { project: describeProject(deps, project) } }
  }
  const group = namespaceId === null ? undefined : await findNamespaceById(deps.db, namespaceId)
  return group && { kind: 'group', id: group.id, payload: { group: describeGroup(group) } }
}

const visibilityLevels = { private: 0, internal: 10, public: 20 } as const

function describeProject({ settings }: Deps, project: Project) {
  const url = `${instanceUrl(settings)}/${project.fullPath}`
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    web_url: url,
    avatar_url: null,
    namespace: project.namespace.name,
    visibility_level: visibilityLevels[project.visibility],
    path_with_namespace: project.fullPath,
    default_branch: project.defaultBranch,
    homepage: url,
    url,
  }
}

function describeGroup({ id, name, path, fullPath }: Namespace) {
  return { group_name: name, group_path: path, full_path: fullPath, group_id: id }
}

/** Builds the body of a `Resource Access Token Hook`. */
function describe(owner: object, token: ExpiringToken) {
  return {
    object_kind: 'access_token' as const,
    ...owner,
    object_attributes: {
      user_id: token.userId,
      created_at: token.createdAt,
      id: token.id,
      name: token.name,
      expires_at: token.expiresOn,
    },
    event_name: 'expiring_access_token',
  }
}
