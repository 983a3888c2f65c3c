import { roleName, roles } from '../access/roles.ts'
import type { Deps } from '../deps.ts'
import type { MemberEvent } from '../hooks/hook-event-body.ts'
import { recordEvents } from '../hooks/record.ts'
import { sampleUser } from '../hooks/sample-user.ts'
import { type AnnouncedMember, findAnnouncedMember } from './member-event-queries.ts'

type MemberChange = 'add' | 'update' | 'remove'

/** Exactly one of the two ids is set. */
interface PlaceIds {
  projectId?: number | null
  namespaceId?: number | null
}

/**
 * Records a webhook event of a direct membership, in the transaction of the change: after it was added or updated, and
 * before it is removed. A user's own namespace has no such events.
 */
export async function recordMemberEvent(
  deps: Deps,
  change: MemberChange,
  { projectId = null, namespaceId = null }: PlaceIds,
  userId: number,
): Promise<void> {
  const id = projectId ?? namespaceId
  if (id === null) return
  await recordEvents(deps, { kind: projectId === null ? 'group' : 'project', id }, 'member', async () => {
    const member = await findAnnouncedMember(deps.db, { projectId, namespaceId }, userId)
    return member ? [{ body: describe(change, member) }] : []
  })
}

/** Returns the event of an invented member of a project or group for a test delivery. */
export function sampleMemberEvent(
  deps: Deps,
  place: { project: NonNullable<AnnouncedMember['project']> } | { group: NonNullable<AnnouncedMember['group']> },
): MemberEvent {
  return describe('add', {
    accessLevel: roles.developer,
    expiresOn: null,
    createdAt: deps.now(),
    updatedAt: null,
    user: sampleUser,
    project: 'project' in place ? place.project : null,
    group: 'group' in place ? place.group : null,
  })
}

const verbs = { add: 'add_to', update: 'update_for', remove: 'remove_from' } as const

/** Builds the body as in GitLab's group and system hooks, where an address that is not public is redacted. */
function describe(change: MemberChange, member: AnnouncedMember): MemberEvent & Record<string, unknown> {
  const { user, project, group } = member
  const role = roleName(member.accessLevel)
  const common = {
    created_at: inSeconds(member.createdAt),
    updated_at: inSeconds(member.updatedAt ?? member.createdAt),
    user_username: user.username,
    user_name: user.name,
    user_email: '[REDACTED]',
    user_id: user.id,
  }
  if (project) {
    return {
      ...common,
      project_name: project.name,
      project_path: project.path,
      project_path_with_namespace: project.fullPath,
      project_id: project.id,
      access_level: role,
      project_visibility: project.visibility,
      event_name: `user_${verbs[change]}_team`,
    }
  }
  return {
    ...common,
    group_name: group?.name,
    group_path: group?.path ?? '',
    group_id: group?.id,
    group_access: role,
    group_plan: null,
    expires_at: member.expiresOn === null ? null : `${member.expiresOn}T00:00:00Z`,
    event_name: `user_${verbs[change]}_group`,
  }
}

const inSeconds = (time: string): string => time.replace(/\.\d{3}Z$/, 'Z')
