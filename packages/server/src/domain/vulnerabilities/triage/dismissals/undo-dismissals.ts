import type { Deps } from '../../../deps.ts'
import type { Severity } from '../../../findings/scales.ts'
import { groupBy } from '../../../group-by.ts'
import type { Project } from '../../../projects/project.ts'
import { listApproved } from '../../approval/dismissal-request-queries.ts'
import { requestApproval, selectForApproval } from '../../approval/request-approval.ts'
import type { Vulnerability } from '../../vulnerability.ts'
import { recordRequestedDismissals } from '../audited-decisions.ts'
import type { ActionContext, Dismissal } from '../change.ts'
import type { ChangedVulnerability } from '../triage.ts'

/**
 * Separates the dismissals among restored vulnerabilities that need approval, and requests it. A dismissal that was
 * approved is restored, and one that has a pending request, whose end has passed, or that is limited to a ref, is neither
 * restored nor requested.
 */
export async function holdDismissals(
  deps: Deps,
  project: Project,
  restored: readonly ChangedVulnerability[],
  { reported, userId, now }: ActionContext & { reported: ReadonlyMap<number, Severity> },
): Promise<{ permitted: ChangedVulnerability[]; requests: ChangedVulnerability[] }> {
  const dismissals = restored.filter(dismisses)
  const all = [...dismissals, ...restored.filter(dismissesOnRef)]
  if (all.length === 0 || userId === null) return { permitted: [...restored], requests: [] }
  const candidates = all.map(({ before }) => {
    return { vulnerability: before, reported: reported.get(before.id) ?? before.severity }
  })
  const { needing, expiresInDays } = await selectForApproval(deps, project.id, candidates)
  const approved = new Set(
    needing.length > 0
      ? await listApproved(
          deps.db,
          dismissals.map(({ after }) => after),
        )
      : [],
  )
  const held = new Set(needing.flatMap(({ id }) => (approved.has(id) ? [] : id)))
  const wanted = dismissals.filter(
    ({ before, after }) =>
      held.has(before.id) &&
      before.dismissalRequestId === null &&
      (after.dismissedUntil === null || after.dismissedUntil > now.slice(0, 10)),
  )
  const requests: ChangedVulnerability[] = []
  for (const alike of groupBy(wanted, ({ after }) => JSON.stringify(dismissalOf(after))).values()) {
    const [first] = alike
    if (!first) continue
    const vulnerabilities = alike.map(({ before }) => before)
    const change = dismissalOf(first.after)
    requests.push(...(await requestApproval(deps, vulnerabilities, change, { userId, now, expiresInDays })))
    await recordRequestedDismissals(deps, project, change, vulnerabilities)
  }
  return { permitted: restored.filter(({ before }) => !held.has(before.id)), requests }
}

const dismisses = ({ before, after }: ChangedVulnerability) =>
  after.state === 'dismissed' &&
  (before.state !== 'dismissed' || JSON.stringify(dismissalOf(before)) !== JSON.stringify(dismissalOf(after)))

const dismissesOnRef = ({ before, after }: ChangedVulnerability) =>
  after.refDismissals.some((one) => !before.refDismissals.includes(one))

const dismissalOf = ({ dismissalReason, dismissedUntil, isDismissedUntilFixed }: Vulnerability): Dismissal => ({
  action: 'dismiss',
  dismissalReason: dismissalReason ?? undefined,
  until: dismissedUntil,
  untilFixed: isDismissedUntilFixed,
})
