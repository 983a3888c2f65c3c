import { Members } from '../../nouns/member/members.tsx'
import { useProject } from '../../nouns/project/project.ts'

export function ProjectMembers() {
  const { project, level } = useProject()
  const { namespace } = project
  const ownerPath = namespace.kind === 'user' ? namespace.path : undefined
  return <Members place={{ noun: 'project', id: project.id, name: project.name, level, ownerPath }} />
}
