import { useApiQuery } from '../../../data/api.ts'
import { mayWrite, useSession } from '../../../data/session.ts'

// Developers are the first who may read vulnerabilities.
const roleLevels = [30, 40, 50] as const

/** Returns true if the user may triage in at least one project of the group, or of the server. */
export function useMayTriageSome(groupId?: number, level = 0): boolean {
  const session = useSession()
  const isCertain = session.is_admin || level >= session.triage_access_level
  const least = roleLevels.find((role) => role >= session.triage_access_level)
  const query = { min_access_level: least, per_page: 1, archived: false }
  const isAsked = mayWrite(session) && !isCertain
  const ofGroup = useApiQuery(
    'GET /groups/{id}/projects',
    { path: { id: groupId ?? 0 }, query: { ...query, include_subgroups: true } },
    { isEnabled: isAsked && groupId !== undefined },
  )
  const ofServer = useApiQuery('GET /projects', { query }, { isEnabled: isAsked && groupId === undefined })
  const found = groupId === undefined ? ofServer.data : ofGroup.data
  return mayWrite(session) && (isCertain || (found?.length ?? 0) > 0)
}
