import { inWords } from '../../components/format.ts'
import { levels, type SessionState } from '../../data/session.ts'

/** What people can be members of. */
export interface MemberPlace {
  noun: 'project' | 'group'
  id: number
  name: string
  /** The caller's. */
  level: number
  /** Whose personal project it is. */
  ownerPath?: string | undefined
}

// `Object.entries` loses the type of the values.
const names = Object.entries(levels).map(([name, level]) => ({ name: inWords(name), level: level as number }))

export function roleName(level: number): string {
  return names.find((role) => role.level === level)?.name ?? (level === 5 ? 'Minimal access' : String(level))
}

/** Nobody hands out more than he has. */
export function grantableRoles({ level }: MemberPlace): { value: string; label: string }[] {
  return names.filter((role) => role.level <= level).map(({ name, level }) => ({ value: String(level), label: name }))
}

/** What a role is good for, on this server. */
export function meaningOf(level: number, { triage_access_level: triage }: SessionState): string {
  const triages = level >= triage ? ' Triages vulnerabilities.' : ''
  if (level >= levels.owner) return 'May do everything, also move and delete.'
  if (level >= levels.maintainer) return `Changes settings, topics and members, and tends the uploads.${triages}`
  if (level >= levels.developer) return `Sees vulnerabilities and sends in reports.${triages}`
  return 'Sees what is here and uploads files, but not the vulnerabilities.'
}

export function mayManageMembers({ noun, level }: MemberPlace): boolean {
  return level >= (noun === 'group' ? levels.owner : levels.maintainer)
}
