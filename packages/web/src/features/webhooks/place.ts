import type { ResponseOf } from '@alcove/client'
import { useContext } from 'react'
import { useLinks } from '../../components/page/screens.tsx'
import { GroupContext, type GroupScreen } from '../../nouns/group/group.ts'
import { ProjectContext, type ProjectScreen } from '../../nouns/project/project.ts'

/** Webhook of any place. Those of a project have no list of projects, and only those of the instance have topics. */
export type Hook = Omit<ResponseOf<'GET /groups/{id}/hooks/{hook_id}'>, 'group_id' | 'project_ids'> & {
  project_ids?: readonly number[]
  topic_events?: boolean
}

/** Project, group or instance whose webhooks the page shows. All have the same pages. */
export interface HookPlace {
  noun: 'project' | 'group' | 'instance'
  /** ID of the project or group. */
  id: number
  /** Undefined in the Admin area. */
  screen: ProjectScreen | GroupScreen | undefined
  /** Path of the webhooks in the API. */
  base: '/groups/{id}/hooks'
  /** Returns the address of a page below the list of webhooks. */
  to: (part?: string | number) => string
}

const list = 'settings/hooks'
const below = (list: string) => (part?: string | number) => (part === undefined ? list : `${list}/${part}`)

// The operations of all places have the types of a group's. The client fills only parameters that the path has.
const pathOf = (path: string) => path as HookPlace['base']

export function useHookPlace(): HookPlace {
  const project = useContext(ProjectContext)
  const group = useContext(GroupContext)
  if (project) {
    const { id } = project.project
    return { noun: 'project', id, screen: project, base: pathOf('/projects/{id}/hooks'), to: below(project.to(list)) }
  }
  if (group) {
    return { noun: 'group', id: group.group.id, screen: group, base: '/groups/{id}/hooks', to: below(group.to(list)) }
  }
  return { noun: 'instance', id: 0, screen: undefined, base: pathOf('/hooks'), to: below('/-/admin/hooks') }
}

/** Returns the links between the pages of settings. The Admin area has its own tabs. */
export function useSettingsLinks() {
  const { noun, screen } = useHookPlace()
  return useLinks('settings', noun, screen)
}
