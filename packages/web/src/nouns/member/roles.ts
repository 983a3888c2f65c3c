import { inWords } from '../../components/format.ts'
import { levels, type SessionState } from '../../data/session.ts'
import { texts } from './texts.ts'

/** Project or group that has members. */
export interface MemberPlace {
  noun: 'project' | 'group'
  id: number
  name: string
  /** The current user's access level. */
  level: number
  /** Username of the owner of a personal project. */
  ownerPath?: string | undefined
}

// `Object.entries` loses the type of the values.
const names = Object.entries(levels).map(([name, level]) => ({ name: inWords(name), level: level as number }))

export function roleName(level: number): string {
  return names.find((role) => role.level === level)?.name ?? (level === 5 ? texts.minimalAccess : String(level))
}

/** Returns the roles that the user may grant: at most their own. */
export function grantableRoles({ level }: MemberPlace): { value: string; label: string }[] {
  return names.filter((role) => role.level <= level).map(({ name, level }) => ({ value: String(level), label: name }))
}

/** Describes the permissions of a role on this server. */
export function meaningOf(level: number, { triage_access_level: triage }: SessionState): string {
  const triages = level >= triage ? texts.triagesVulnerabilities : ''
  if (level >= levels.owner) return texts.fullAccessIncludingTransfer
  if (level >= levels.maintainer) return texts.managesSettingsTopicsMembers(triages)
  if (level >= levels.developer) return texts.viewsVulnerabilitiesAndImports(triages)
  return texts.viewsTheProjectAndUploads
}

export function mayManageMembers({ noun, level }: MemberPlace): boolean {
  return level >= (noun === 'group' ? levels.owner : levels.maintainer)
}
