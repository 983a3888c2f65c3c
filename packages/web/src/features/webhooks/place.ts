import { useContext } from 'react'
import { useLinks } from '../../components/page/screens.tsx'
import { GroupContext, type GroupScreen } from '../../nouns/group/group.ts'
import { ProjectContext, type ProjectScreen } from '../../nouns/project/project.ts'

/** Project or group whose webhooks the page shows. Both have the same pages. */
export interface HookPlace {
  noun: 'project' | 'group'
  id: number
  screen: ProjectScreen | GroupScreen
  /** Returns the address of a page of the project or group. */
  to: (part: string) => string
}

export function useHookPlace(): HookPlace {
  const project = useContext(ProjectContext)
  const group = useContext(GroupContext)
  if (project) return { noun: 'project', id: project.project.id, screen: project, to: project.to }
  if (group) return { noun: 'group', id: group.group.id, screen: group, to: group.to }
  throw new Error('useHookPlace must be used inside a page of a project or group')
}

/** Returns the links between the pages of settings. */
export function useSettingsLinks() {
  const { noun, screen } = useHookPlace()
  return useLinks('settings', noun, screen)
}
