import { useContext } from 'react'
import { useLinks } from '../../components/page/screens.tsx'
import { GroupContext } from '../../nouns/group/group.ts'
import { ProjectContext } from '../../nouns/project/project.ts'

const groupList = '/groups/{id}/audit_events'

/** Returns the project, the group or the instance whose events the page shows, and the links between its settings. */
export function useAuditPlace() {
  const project = useContext(ProjectContext)
  const group = useContext(GroupContext)
  const noun = project ? 'project' : group ? 'group' : 'instance'
  const paths = { project: '/projects/{id}/audit_events', group: groupList, instance: '/audit_events' } as const
  return {
    noun,
    id: project?.project.id ?? group?.group.id ?? 0,
    // The operations of all places have the types of a group's. The client fills only parameters that the path has.
    path: paths[noun] as typeof groupList,
    links: useLinks('settings', noun, project ?? group ?? undefined),
  } as const
}
