import { setImmediate } from 'node:timers/promises'
import { type Deps, projectTransaction, type RootDeps } from '../../../deps.ts'
import { groupBy } from '../../../group-by.ts'
import type { Project } from '../../../projects/project.ts'
import { findProjectById } from '../../../projects/projects.ts'
import { recordEndedDismissals } from '../audited-decisions.ts'
import { type ChangedVulnerability, saveChanges } from '../triage.ts'
import { lockVulnerabilities } from '../triage-queries.ts'
import { dismissalsPerTransaction } from './ended-dismissals.ts'
import { listDismissedOn, listDueOnRefs } from './ref-dismissal-queries.ts'
import { dismissalOn, revertOnRef, seenOnRef } from './ref-dismissals.ts'

/** Ends the dismissals on single refs whose day has come, or for which a fix is available. */
export async function endDismissalsOnRefs(deps: RootDeps): Promise<void> {
  for (let more = true; more; ) {
    const today = deps.now().slice(0, 10)
    const due = await listDueOnRefs(deps.db, today, dismissalsPerTransaction)
    for (const [projectId, rows] of groupBy(due, (row) => row.projectId)) {
      await projectTransaction(deps, projectId, async (deps) => {
        const project = await findProjectById(deps.db, projectId)
        if (!project) return
        for (const [ref, some] of groupBy(rows, (row) => row.ref)) {
          const ids = some.map(({ vulnerabilityId }) => vulnerabilityId)
          const ended = await endOn(deps, project, { ref, ids, reasonOf: (until) => endText(until, today) })
          await recordEndedDismissals(deps, project, ended)
        }
      })
    }
    more = due.length === dismissalsPerTransaction
    await setImmediate()
  }
}

const endText = (until: string | null, today: string): string =>
  until !== null && until <= today
    ? `the dismissal on this branch ended on ${until}`
    : 'the dismissal on this branch ended because a fix is available'

/** Ends all dismissals on a ref that is closed, in the calling transaction. */
export async function endDismissalsOf(deps: Deps, project: Project, ref: string): Promise<void> {
  for (let more = true; more; ) {
    const ids = await listDismissedOn(deps.db, project.id, ref, dismissalsPerTransaction)
    await endOn(deps, project, { ref, ids, reasonOf: () => 'the branch was closed' })
    more = ids.length === dismissalsPerTransaction
  }
}

interface Ended {
  ref: string
  ids: readonly number[]
  reasonOf: (until: string | null) => string
}

async function endOn(deps: Deps, project: Project, { ref, ids, reasonOf }: Ended): Promise<number> {
  const now = deps.now()
  const locked = await lockVulnerabilities(deps.db, project.id, ids)
  const changed = locked.flatMap((before): ChangedVulnerability[] => {
    const after = revertOnRef(before, ref, now)
    if (!after) return []
    const seen = seenOnRef(before, ref)
    const comment = reasonOf(dismissalOn(before, ref)?.until ?? null)
    const details = { dismissal_reason: seen.dismissalReason }
    const entry = { vulnerabilityId: after.id, kind: 'ref_state' as const, ref, from: seen.state, to: after.state }
    return [{ before, after, entry: { ...entry, comment, details } }]
  })
  await saveChanges(deps, project.id, changed, now)
  return changed.length
}
