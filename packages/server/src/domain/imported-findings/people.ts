import type { Caller } from '../access/callers.ts'
import type { Deps } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import type { User } from '../users/user.ts'
import { findUserByUsername } from '../users/users.ts'
import { listWhoMayTriage } from '../vulnerabilities/triage/assignees.ts'
import type { FindingRecord } from './record.ts'

/** Users of Alcove that records name. */
export interface People {
  importer: User
  /** Whether the importer may attribute decisions and comments to others. */
  mayAttribute: boolean
  /** Returns the user to whom a decision or comment is attributed; only administrators attribute them to others. */
  authorOf(username: string | undefined): User | undefined
  /** Returns the user if they may be assigned vulnerabilities of the project. */
  assigneeOf(username: string): User | undefined
}

export async function openPeople(
  deps: Deps,
  project: Project,
  { user: importer, isAdmin }: Caller,
  records: readonly FindingRecord[],
): Promise<People> {
  const authors = records.flatMap(({ decidedBy, comments, earlierDecisions, exact }) => [
    ...[decidedBy, exact?.dismissed.by, exact?.confirmed.by, exact?.resolved.by, exact?.author],
    ...comments.map(({ author }) => author),
    ...earlierDecisions.map((earlier) => earlier.decidedBy),
    ...(exact?.history.map(({ username }) => username) ?? []),
  ])
  const assignees = records.map(({ assignee }) => assignee)
  const names = new Set([...(isAdmin ? authors : []), ...assignees].flatMap((name) => name?.toLowerCase() ?? []))
  const users = new Map<string, User>()
  for (const name of names) {
    const user = await findUserByUsername(deps.db, name)
    if (user) users.set(name, user)
  }
  const ids = assignees.flatMap((name) => (name && users.get(name.toLowerCase())?.id) || [])
  const mayTriage = await listWhoMayTriage(deps, project, ids)
  const find = (name: string) => users.get(name.toLowerCase())
  return {
    importer,
    mayAttribute: isAdmin,
    authorOf: (name) => (name === undefined || !isAdmin ? undefined : find(name)),
    assigneeOf(name) {
      const user = find(name)
      return user && mayTriage.has(user.id) ? user : undefined
    },
  }
}
