import type { Permission } from '../../../domain/access/permissions.ts'
import type { Deps } from '../../../domain/deps.ts'
import type { HookOwner } from '../../../domain/hooks/hook.ts'
import type { Namespace } from '../../../domain/namespaces/namespace.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { integer } from '../../../http/params/input.ts'

export const hookId = { hook_id: integer() }

export const permissionsOf = {
  project: { read: 'hook.read', manage: 'hook.manage' },
  group: { read: 'group.hook.read', manage: 'group.hook.manage' },
  instance: { read: 'instance.hook.read', manage: 'instance.hook.manage' },
} as const satisfies Record<HookOwner['kind'], Record<string, Permission>>

/** Returns the path of the webhooks. */
export const baseOf = (kind: HookOwner['kind']): string => (kind === 'instance' ? '/hooks' : `/${kind}s/:id/hooks`)

/** Phrases for the summaries of routes. */
export const placeNames = { project: 'a project', group: 'a group', instance: 'the instance' } as const

/** Returns the project or group that the guard has resolved, or without one the instance. */
export function ownerOf({ project, group }: { deps: Deps; project?: Project; group?: Namespace }): HookOwner {
  if (project) return { kind: 'project', id: project.id }
  return group ? { kind: 'group', id: group.id } : { kind: 'instance' }
}
