import { useContext } from 'react'
import { useSession } from '../../../data/session.ts'
import type { TemplatePlace } from '../../../nouns/dismissal-template/template-place.ts'
import { GroupContext } from '../../../nouns/group/group.ts'
import type { Target } from './triage-change.ts'

/**
 * Returns whose dismissal templates a dialog offers: those of the project of all rows, or else of the list. A user who
 * triages in some projects of a group only cannot read the templates of the group and gets those of the instance.
 */
export function useTemplatePlace(target: Target): TemplatePlace {
  const session = useSession()
  const level = useContext(GroupContext)?.level ?? 0
  const { owner } = target
  const projects = new Set('rows' in target ? target.rows.map(({ projectId }) => projectId) : [])
  const [projectId] = projects
  if (projects.size === 1 && projectId !== undefined) return { kind: 'project', id: projectId }
  if (owner.kind === 'project') return { kind: 'project', id: owner.id }
  const mayRead = session.is_admin || level >= session.triage_access_level
  return owner.kind === 'group' && mayRead ? { kind: 'group', id: owner.id } : { kind: 'instance' }
}
