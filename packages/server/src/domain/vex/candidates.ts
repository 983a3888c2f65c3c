import type { Deps } from '../deps.ts'
import { type ExportedRow, readRows } from '../exports/exported-rows.ts'
import { parsePackageUrl } from '../findings/package-url.ts'
import type { DismissalReason, Severity, State } from '../findings/scales.ts'
import type { ListScope } from '../vulnerabilities/list/filter.ts'
import { matchingIds } from '../vulnerabilities/list/list.ts'
import { findProjectsOf } from '../vulnerabilities/scope-bulk/select-in-scope.ts'
import { fieldsOf, stringOf } from './json.ts'

/** A vulnerability that a statement may be about. */
export interface Candidate {
  id: number
  title: string
  state: State
  dismissalReason: DismissalReason | null
  severity: Severity
  /** Severity of its scanner. */
  reported: Severity
  dismissalRequestId: number | null
  /** Ids of the vulnerability, in lower case. */
  ids: string[]
  packageKey: string | undefined
  packageName: string | undefined
  version: string | undefined
  image: string | undefined
  /** When a user last set the state. */
  decidedAt: string | undefined
}

/** Number of ids in one search. */
const maxSearched = 50

/** Returns the vulnerabilities of the project that have one of the ids: those of a ref, or of the default branch. */
export async function findCandidates(
  deps: Deps,
  projectId: number,
  ids: readonly string[],
  ref: string | undefined,
): Promise<Candidate[]> {
  const found = new Map<number, Candidate>()
  for (let start = 0; start < ids.length; start += maxSearched) {
    const identifiers = ids.slice(start, start + maxSearched)
    for await (const rows of readRows(deps, projectId, { identifiers, ref })) {
      for (const row of rows) found.set(row.vulnerability.id, candidateOf(row))
    }
  }
  return [...found.values()]
}

/** Returns the projects of the scope that have vulnerabilities with one of the ids, on a ref or on the default branch. */
export async function listProjectsWith(
  deps: Deps,
  scope: ListScope,
  ids: readonly string[],
  ref: string | undefined,
): Promise<number[]> {
  const found = new Set<number>()
  for (let start = 0; start < ids.length; start += maxSearched) {
    const filter = { identifiers: ids.slice(start, start + maxSearched), ref }
    for await (const batch of matchingIds(deps, { scope, filter, sort: 'detected_asc' })) {
      for (const { projectId } of await findProjectsOf(deps, batch)) found.add(projectId)
    }
  }
  return [...found]
}

function candidateOf({ vulnerability, finding, identifiers, remarks }: ExportedRow): Candidate {
  const location = fieldsOf(finding.location)
  const dependency = fieldsOf(location.dependency)
  const url = finding.packageUrl ? parsePackageUrl(finding.packageUrl) : undefined
  const decision = remarks.findLast(({ kind, username }) => kind === 'state' && username !== null)
  return {
    id: vulnerability.id,
    title: vulnerability.title,
    state: vulnerability.state,
    dismissalReason: vulnerability.dismissalReason,
    severity: vulnerability.severity,
    reported: finding.severity,
    dismissalRequestId: vulnerability.dismissalRequestId,
    ids: [...new Set(identifiers.flatMap(({ name, externalId }) => [name, externalId]))].map((id) => id.toLowerCase()),
    packageKey: url?.key,
    packageName: stringOf(fieldsOf(dependency.package).name)?.toLowerCase(),
    version: url?.version ?? stringOf(dependency.version),
    image: stringOf(location.image),
    decidedAt: decision?.createdAt,
  }
}
