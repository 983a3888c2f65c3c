import { useMemo } from 'react'
import { useApiQuery } from '../../../data/api.ts'
import { mayWrite, useSession } from '../../../data/session.ts'
import { store } from '../../../data/store.ts'
import { asProject } from '../../../nouns/project/project.ts'
import type { Owner, VulnerabilityRow } from '../../../nouns/vulnerability/owner.ts'
import { mapRows, type PagedRows } from '../grid/paged-rows.ts'

// Developers are the first who may read vulnerabilities.
const roleLevels = [30, 40, 50] as const
/** Of a user with more projects the list offers triage in all of them, and the server refuses it where it must. */
const maxProjects = 100

/** Returns where the user may triage in a list of all projects of a group, or of the server. */
export function useTriageRights(groupId?: number, level = 0): Pick<Owner, 'mayTriage' | 'triageProjects'> {
  const session = useSession()
  const isCertain = session.is_admin || level >= session.triage_access_level
  const least = roleLevels.find((role) => role >= session.triage_access_level)
  const query = { min_access_level: least, per_page: maxProjects, archived: false, simple: true }
  const isAsked = mayWrite(session) && !isCertain
  const ofGroup = useApiQuery(
    'GET /groups/{id}/projects',
    { path: { id: groupId ?? 0 }, query: { ...query, include_subgroups: true } },
    { isEnabled: isAsked && groupId !== undefined },
  )
  const ofServer = useApiQuery('GET /projects', { query }, { isEnabled: isAsked && groupId === undefined })
  const found = groupId === undefined ? ofServer.data : ofGroup.data
  const mayTriage = mayWrite(session) && (isCertain || (found?.length ?? 0) > 0)
  return useMemo(() => {
    const isComplete = isAsked && found !== undefined && found.length < maxProjects
    return { mayTriage, ...(isComplete && { triageProjects: new Set(found.map((view) => asProject(view).id)) }) }
  }, [mayTriage, isAsked, found])
}

/** Marks the rows of projects in which the user may not triage as read-only. */
export function withRights(
  rows: PagedRows<VulnerabilityRow>,
  { triageProjects }: Pick<Owner, 'triageProjects'>,
): PagedRows<VulnerabilityRow> {
  if (!triageProjects) return rows
  return mapRows(rows, (row) => (triageProjects.has(row.projectId) ? row : asReadOnly(row)))
}

const marked = store.slot(() => new WeakMap<VulnerabilityRow, VulnerabilityRow>())

/** Caches the result, so that unchanged rows are not rendered again. */
function asReadOnly(row: VulnerabilityRow): VulnerabilityRow {
  if (row.isReadOnly) return row
  const known = marked.get().get(row) ?? { ...row, isReadOnly: true, isForbidden: true }
  marked.get().set(row, known)
  return known
}
