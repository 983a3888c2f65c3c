import { Members } from '../members/members.tsx'
import { useGroup } from './group.ts'

export function GroupMembers() {
  const { group, level } = useGroup()
  return <Members place={{ noun: 'group', id: group.id, name: group.name, level }} />
}
