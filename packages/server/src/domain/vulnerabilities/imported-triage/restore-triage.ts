import type { Deps } from '../../deps.ts'
import type { Project } from '../../projects/project.ts'
import { selectForApproval } from '../approval/request-approval.ts'
import { addToFacetCounts } from '../list/counts/count-change-queries.ts'
import { countChanges } from '../list/counts/count-changes.ts'
import { upsertTags } from '../triage/tag-queries.ts'
import { reportedSeverities, saveChanges } from '../triage/triage.ts'
import { lockVulnerabilities } from '../triage/triage-queries.ts'
import type { Vulnerability } from '../vulnerability.ts'
import { backdateVulnerabilities, insertPastEntries, type PastDraft } from './imported-triage-queries.ts'

/** Fields of a new vulnerability that are restored from an export, with its history. */
export interface RestoredTriage {
  vulnerabilityId: number
  fields: Pick<
    Vulnerability,
    | 'state'
    | 'severity'
    | 'isSeverityOverridden'
    | 'isAutoResolved'
    | 'isResolvedOnDefaultBranch'
    | 'dismissalReason'
    | 'dismissedUntil'
    | 'isDismissedUntilFixed'
    | 'dismissedAt'
    | 'dismissedById'
    | 'confirmedAt'
    | 'confirmedById'
    | 'resolvedAt'
    | 'resolvedById'
    | 'fixAvailableAt'
    | 'assigneeId'
    | 'tags'
    | 'updatedAt'
  >
  /** The date that a user has set. */
  dueOn: string | undefined
  createdAt: string
  authorId: number | null
  history: readonly Omit<PastDraft, 'vulnerabilityId'>[]
}

/**
 * Restores new vulnerabilities as an export describes them. Dismissals that need approval are not restored; returns the
 * ids of the others.
 */
export async function restoreTriage(
  deps: Deps,
  project: Project,
  restored: readonly RestoredTriage[],
): Promise<Set<number>> {
  if (restored.length === 0) return new Set()
  const byId = new Map(restored.map((one) => [one.vulnerabilityId, one]))
  const ids = [...byId.keys()].sort((a, b) => a - b)
  const locked = await lockVulnerabilities(deps.db, project.id, ids)
  const reported = await reportedSeverities(deps, ids)
  const candidates = locked.flatMap((vulnerability) =>
    byId.get(vulnerability.id)?.fields.state === 'dismissed'
      ? [{ vulnerability, reported: reported.get(vulnerability.id) ?? vulnerability.severity }]
      : [],
  )
  const held = new Set((await selectForApproval(deps, project.id, candidates)).needing)
  const tags = [...new Set(restored.flatMap(({ fields }) => fields.tags))]
  if (tags.length > 0) await upsertTags(deps.db, project.id, tags)
  const changed = locked.flatMap((before) => {
    const one = byId.get(before.id)
    if (!one || held.has(before)) return []
    const due = one.dueOn === undefined ? {} : { dueOn: one.dueOn, isDueOnOverridden: true }
    return [{ before, after: { ...before, ...one.fields, ...due, createdAt: one.createdAt } }]
  })
  const done = new Set(changed.map(({ after }) => after.id))
  const now = deps.now()
  await saveChanges(deps, project.id, changed, now)
  const kept = restored.filter(({ vulnerabilityId }) => done.has(vulnerabilityId))
  await backdateVulnerabilities(
    deps.db,
    kept.map(({ vulnerabilityId: id, createdAt, authorId }) => ({ id, createdAt, authorId })),
  )
  await insertPastEntries(
    deps.db,
    kept.flatMap(({ vulnerabilityId, history }) => history.map((entry) => ({ ...entry, vulnerabilityId }))),
  )
  await addToFacetCounts(deps.db, project.id, countChanges(changed), now)
  return done
}
