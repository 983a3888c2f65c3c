import type { Deps } from '../deps.ts'
import { setFindingTimes } from '../findings/findings.ts'
import { markAbsent } from '../findings/occurrences/occurrences.ts'
import type { Project } from '../projects/project.ts'
import { type RestoredTriage, restoreTriage } from '../vulnerabilities/imported-triage/restore-triage.ts'
import type { People } from './people.ts'
import type { ExactRecord, FindingRecord, RecordBatch } from './record.ts'

interface NewVulnerability {
  record: FindingRecord
  findingId: number
  vulnerabilityId: number
}

/** Restores new vulnerabilities from exports of Alcove for administrators; returns the ids of those that it restored. */
export async function restoreExports(
  deps: Deps,
  project: Project,
  created: readonly NewVulnerability[],
  context: { people: People; batch: Pick<RecordBatch, 'sourceName'> },
): Promise<Set<number>> {
  if (!context.people.mayAttribute) return new Set()
  const now = deps.now()
  const exported = created.flatMap(({ record, ...ids }) =>
    record.exact ? [{ ...ids, record, exact: record.exact }] : [],
  )
  const restored = await restoreTriage(
    deps,
    project,
    exported.map((one) => triageOf(one.record, one.exact, { ...context, now, vulnerabilityId: one.vulnerabilityId })),
  )
  const kept = exported.filter(({ vulnerabilityId }) => restored.has(vulnerabilityId))
  if (kept.length === 0) return restored
  await setFindingTimes(
    deps.db,
    kept.map(({ findingId: id, exact: { detectedAt = now, createdAt = now, updatedAt = now } }) => {
      return { id, detectedAt, createdAt, updatedAt }
    }),
  )
  const absent = kept.flatMap(({ findingId, exact }) => (exact.isResolvedOnDefaultBranch ? [findingId] : []))
  if (absent.length > 0) await markAbsent(deps.db, { ref: project.defaultBranch }, absent)
  return restored
}

interface Context {
  people: People
  batch: Pick<RecordBatch, 'sourceName'>
  now: string
  vulnerabilityId: number
}

function triageOf(
  record: FindingRecord,
  exact: ExactRecord,
  { people, batch, now, vulnerabilityId }: Context,
): RestoredTriage {
  const idOf = (username: string | undefined) => people.authorOf(username)?.id ?? null
  const isDismissed = record.state === 'dismissed'
  const details = { imported_from: batch.sourceName, source_id: record.id }
  return {
    vulnerabilityId,
    fields: {
      state: record.state,
      severity: record.setSeverity ?? record.severity,
      isSeverityOverridden: record.setSeverity !== undefined,
      isAutoResolved: exact.isAutoResolved,
      isResolvedOnDefaultBranch: exact.isResolvedOnDefaultBranch,
      dismissalReason: exact.dismissalReason,
      dismissedUntil: isDismissed ? (record.dismissedUntil ?? null) : null,
      isDismissedUntilFixed: isDismissed && record.dismissedUntilFixed,
      dismissedAt: exact.dismissed.at,
      dismissedById: idOf(exact.dismissed.by),
      confirmedAt: exact.confirmed.at,
      confirmedById: idOf(exact.confirmed.by),
      resolvedAt: exact.resolved.at,
      resolvedById: idOf(exact.resolved.by),
      fixAvailableAt: exact.fixAvailableAt,
      assigneeId: record.assignee === undefined ? null : (people.assigneeOf(record.assignee)?.id ?? null),
      tags: record.tags,
      updatedAt: exact.changedAt ?? now,
    },
    dueOn: record.dueOn,
    createdAt: record.detectedAt ?? now,
    authorId: idOf(exact.author),
    history: exact.history.map(({ kind, username, createdAt = now, comment, ...entry }) => {
      const userId = idOf(username)
      // A user who does not exist here is named in the text.
      const isUnknown = username !== undefined && userId === null
      const text = isUnknown ? [`By ${username}:`, comment].filter(Boolean).join('\n\n') : comment
      return { ...entry, kind, userId: isUnknown ? people.importer.id : userId, comment: text, createdAt, details }
    }),
  }
}
