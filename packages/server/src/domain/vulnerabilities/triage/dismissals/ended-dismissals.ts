import { setImmediate } from 'node:timers/promises'
import { type Deps, projectTransaction, type RootDeps } from '../../../deps.ts'
import { groupBy } from '../../../group-by.ts'
import { findProjectById } from '../../../projects/projects.ts'
import { addToFacetCounts } from '../../list/counts/count-change-queries.ts'
import { countChanges } from '../../list/counts/count-changes.ts'
import type { Vulnerability } from '../../vulnerability.ts'
import { recordEndedDismissals } from '../audited-decisions.ts'
import { applyChange } from '../change.ts'
import type { HistoryEntry } from '../history/history-entry.ts'
import { capitalised } from '../history/history-text.ts'
import { type ChangedVulnerability, saveChanges } from '../triage.ts'
import { lockVulnerabilities } from '../triage-queries.ts'
import { type DueDismissal, listEndedUntil, listUntilFixed, listWithFix } from './ended-dismissal-queries.ts'

export { listFixed } from './ended-dismissal-queries.ts'

/** Number of vulnerabilities in a transaction. On SQLite it blocks the process for about 20 ms, in a large database. */
export const dismissalsPerTransaction = 50

/**
 * Reopens vulnerabilities whose dismissal has ended. Imports end dismissals until a fix is available; this also ends
 * those that a concurrent dismissal or an undo left behind.
 */
export async function endDismissals(deps: RootDeps): Promise<void> {
  const today = deps.now().slice(0, 10)
  for (let after: DueDismissal | undefined, more = true; more; ) {
    const due: DueDismissal[] = await listEndedUntil(deps.db, today, after, dismissalsPerTransaction)
    await reopenByProject(deps, due)
    after = due.at(-1)
    more = due.length === dismissalsPerTransaction
    await setImmediate()
  }
  for (let afterId = 0, more = true; more; ) {
    const rows = await listUntilFixed(deps.db, afterId, dismissalsPerTransaction)
    const fixable = new Set(await listWithFix(deps.db, idsOf(rows)))
    await reopenByProject(
      deps,
      rows.filter(({ id }) => fixable.has(id)),
    )
    afterId = rows.at(-1)?.id ?? afterId
    more = rows.length === dismissalsPerTransaction
    await setImmediate()
  }
}

interface Due {
  id: number
  projectId: number
}

const idsOf = (rows: readonly Due[]) => rows.map(({ id }) => id)

async function reopenByProject(deps: RootDeps, due: readonly Due[]): Promise<void> {
  for (const [projectId, rows] of groupBy(due, (row) => row.projectId)) {
    await projectTransaction(deps, projectId, (deps) => reopenBatch(deps, projectId, idsOf(rows)))
  }
}

/** Reopens those of the vulnerabilities whose dismissal has ended. Other processes may have reopened some of them. */
async function reopenBatch(deps: Deps, projectId: number, ids: readonly number[]): Promise<void> {
  const project = await findProjectById(deps.db, projectId)
  if (!project) return
  const now = deps.now()
  const locked = await lockVulnerabilities(deps.db, projectId, ids)
  const fixable = new Set(await listWithFix(deps.db, ids))
  const changed = locked.flatMap((before): ChangedVulnerability[] => {
    const end = endOf(before, { today: now.slice(0, 10), isFixable: fixable.has(before.id) })
    if (!end) return []
    const { after, ...fields } = endDismissal(before, end, now)
    return [{ before, after, entry: { vulnerabilityId: after.id, kind: 'state', ...fields } }]
  })
  await saveChanges(deps, projectId, changed, now)
  await recordEndedDismissals(deps, project, changed.length)
  await addToFacetCounts(deps.db, projectId, countChanges(changed), now)
}

/** Why a dismissal ends. */
type End = 'until' | 'until_fixed'

function endOf(
  { state, dismissedUntil, isDismissedUntilFixed }: Vulnerability,
  { today, isFixable }: { today: string; isFixable: boolean },
): End | undefined {
  if (state !== 'dismissed') return undefined
  if (dismissedUntil !== null && dismissedUntil <= today) return 'until'
  return isDismissedUntilFixed && isFixable ? 'until_fixed' : undefined
}

/** Returns a vulnerability whose dismissal has ended, with the fields of its history entry. */
export function endDismissal(
  before: Vulnerability,
  end: End,
  now: string,
): { after: Vulnerability } & Pick<HistoryEntry, 'from' | 'to' | 'comment' | 'details'> {
  const after = applyChange(before, { action: 'revert' }, before.severity, { userId: null, now })
  if (!after) throw new Error('only a dismissal can end')
  const reason = before.dismissalReason === null ? '' : ` (${capitalised(before.dismissalReason)})`
  return {
    after,
    from: before.state,
    to: after.state,
    comment:
      end === 'until'
        ? `the dismissal${reason} ended on ${before.dismissedUntil}`
        : `the dismissal${reason} ended because a fix is available`,
    details: {
      ended: end,
      dismissal_reason: before.dismissalReason,
      dismissed_at: before.dismissedAt,
      dismissed_by_id: before.dismissedById,
      dismissed_until: before.dismissedUntil,
      dismissed_until_fixed: before.isDismissedUntilFixed,
    },
  }
}
