import { useGroup } from '../../nouns/group/group.ts'
import { Members } from '../../nouns/member/members.tsx'

export function GroupMembers() {
  const { group, level } = useGroup()
  return <Members place={{ noun: 'group', id: group.id, name: group.name, level }} />
}
