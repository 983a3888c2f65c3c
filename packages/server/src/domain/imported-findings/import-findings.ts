import { hash } from 'node:crypto'
import type { Caller } from '../access/callers.ts'
import { projectEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, projectTransaction, type RootDeps } from '../deps.ts'
import { countImported, listImported, listOriginsOf, upsertImportedRecords } from '../findings/findings.ts'
import type {
  ImportedFilter,
  ImportedFinding,
  NewImportedRecord,
  Origin,
} from '../findings/imported-findings/imported-record.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import type { Project } from '../projects/project.ts'
import { lockAgainstDeletion } from '../projects/projects.ts'
import { applyImportedTriage } from '../vulnerabilities/imported-triage/apply-imported-triage.ts'
import type { AppliedTriage, ImportedOutcome } from '../vulnerabilities/imported-triage/imported-triage.ts'
import { createFindingsOf, promoteMatched } from './create-findings.ts'
import { linkIssues } from './link-issues.ts'
import { type MatchedRecord, matchRecords } from './match-records.ts'
import { openPeople, type People } from './people.ts'
import type { FindingRecord, RecordBatch } from './record.ts'
import { restoreExports } from './restore-exports.ts'
import { triageOf } from './triage-of-record.ts'

/**
 * What became of a record: a new finding, an existing one, one that another record of the batch has created, or nothing,
 * because it has not changed since it was imported.
 */
export const recordOutcomes = ['created', 'matched', 'merged', 'unchanged'] as const

export interface RecordResult {
  id: string
  outcome: (typeof recordOutcomes)[number]
  decision: ImportedOutcome
  vulnerabilityIds: readonly number[]
  /** What has no counterpart, with the reason. */
  notes: readonly string[]
  /** Number of comments of an earlier import that the record no longer has. */
  missingComments: number
}

/**
 * Imports findings of another product with their triage into a project, all or none. A dry run does the same and rolls
 * it back, so its result is that of the import, except for the ids of new vulnerabilities.
 */
export async function importFindings(
  deps: RootDeps,
  project: Project,
  caller: Caller,
  { batch, isDryRun }: { batch: RecordBatch; isDryRun: boolean },
): Promise<RecordResult[]> {
  const rolledBack = new RolledBack()
  try {
    return await projectTransaction(deps, project.id, async (deps) => {
      await lockAgainstDeletion(deps.db, project.id)
      const results = await importBatch(deps, project, caller, batch)
      if (isDryRun) {
        rolledBack.results = results
        throw rolledBack
      }
      return results
    })
  } catch (error) {
    if (error !== rolledBack) throw error
    return rolledBack.results
  }
}

/** Ends the transaction of a dry run. */
class RolledBack extends Error {
  results: RecordResult[] = []
}

/** A record, and one of the vulnerabilities that it is about. */
interface Target {
  matched: MatchedRecord
  findingId: number
  vulnerabilityId: number
  former: AppliedTriage | undefined
  isCreated: boolean
}

async function importBatch(deps: Deps, project: Project, caller: Caller, batch: RecordBatch): Promise<RecordResult[]> {
  const matched = await matchRecords(deps, project, batch)
  const isUnchanged = ({ record, before }: MatchedRecord) =>
    before.length > 0 && before.every(({ digest }) => digest === record.digest)
  const changed = matched.filter((one) => !isUnchanged(one))
  const toCreate = changed.filter(({ findings, before, sameAs }) => findings.length + before.length === 0 && !sameAs)
  const created = await createFindingsOf(deps, project, caller.user, { ...batch, matched: toCreate })
  const findingIdsOf = (one: MatchedRecord): readonly number[] => {
    if (one.before.length > 0) return one.before.map(({ findingId }) => findingId)
    const own = created.get(one.sameAs ?? one.record)
    return own === undefined ? one.findings.map(({ id }) => id) : [own]
  }
  const wanted = [...new Set(changed.flatMap(findingIdsOf))]
  const vulnerabilityOf = await promoteMatched(deps, project, caller.user, wanted)
  const targets = changed.flatMap((one) =>
    findingIdsOf(one).flatMap((findingId): Target[] => {
      const vulnerabilityId = vulnerabilityOf.get(findingId)
      const before = one.before.find((row) => row.findingId === findingId)
      // A vulnerability without the finding was deleted meanwhile.
      if (vulnerabilityId === undefined) return []
      const isCreated = before?.isCreated ?? created.get(one.record) === findingId
      return [{ matched: one, findingId, vulnerabilityId, former: before?.applied, isCreated }]
    }),
  )
  const people = await openPeople(deps, project, caller, batch.records)
  const restored = await restoreNew(deps, project, targets, { people, batch, created })
  const open = targets.filter((target) => !restored.has(target))
  const done = await applyTargets(deps, project, caller, { batch, targets: open, people })
  for (const { matched, vulnerabilityId } of restored) {
    const decision = matched.record.state === 'detected' ? 'unchanged' : 'applied'
    done.set(matched.record, { decision, notes: [], missingComments: 0, vulnerabilityIds: [vulnerabilityId] })
  }
  await recordEvent(deps, project, batch, { created: created.size, changed: changed.length })
  return matched.map((one) => {
    const { record, before, sameAs } = one
    const isCreated = created.has(record)
    const outcome = isUnchanged(one) ? 'unchanged' : isCreated ? 'created' : sameAs ? 'merged' : 'matched'
    const { decision, notes, missingComments, vulnerabilityIds } = done.get(record) ?? nothing
    return {
      id: record.id,
      outcome: before.length > 0 && outcome === 'created' ? 'matched' : outcome,
      decision,
      notes,
      missingComments,
      vulnerabilityIds,
    }
  })
}

const nothing = { decision: 'unchanged', notes: [], missingComments: 0, vulnerabilityIds: [] } as const

interface Done {
  decision: ImportedOutcome
  notes: string[]
  missingComments: number
  vulnerabilityIds: number[]
}

/** Applies records in rounds, in each of which a vulnerability occurs once. */
async function applyTargets(
  deps: Deps,
  project: Project,
  caller: Caller,
  { batch, targets, people }: { batch: RecordBatch; targets: readonly Target[]; people: People },
): Promise<Map<FindingRecord, Done>> {
  const done = new Map<FindingRecord, Done>()
  for (let waiting = targets; waiting.length > 0; ) {
    const seen = new Set<number>()
    const round = waiting.filter(({ vulnerabilityId }) => !seen.has(vulnerabilityId) && seen.add(vulnerabilityId))
    const inRound = new Set(round)
    waiting = waiting.filter((target) => !inRound.has(target))
    const drafts = round.map((target) => ({
      target,
      ...triageOf(target.matched.record, { people, batch, now: deps.now(), ...target }),
    }))
    const results = await applyImportedTriage(
      deps,
      project,
      caller.user,
      drafts.map(({ triage }) => triage),
    )
    const records: NewImportedRecord[] = []
    for (const [index, { target, notes }] of drafts.entries()) {
      const { record } = target.matched
      const result = results[index]
      const failed = await linkIssues(deps, caller.user, target.vulnerabilityId, record.links)
      const before = done.get(record)
      done.set(record, {
        decision: before?.decision === 'applied' ? 'applied' : (result?.outcome ?? 'unchanged'),
        notes: [...new Set([...(before?.notes ?? []), ...notes, ...failed])],
        missingComments: Math.max(before?.missingComments ?? 0, result?.missingNotes ?? 0),
        vulnerabilityIds: [...(before?.vulnerabilityIds ?? []), target.vulnerabilityId],
      })
      records.push(rowOf(target, batch, result?.applied ?? {}))
    }
    await upsertImportedRecords(deps.db, project.id, records, deps.now())
  }
  return done
}

const rowOf = (
  { matched: { record }, findingId, isCreated }: Target,
  { source, sourceName }: RecordBatch,
  applied: AppliedTriage,
): NewImportedRecord => ({
  findingId,
  source,
  sourceId: record.id,
  sourceName,
  sourceUrl: record.url ?? null,
  digest: record.digest,
  isCreated,
  applied,
})

/** Restores new vulnerabilities that an export describes exactly, and returns those that it restored. */
async function restoreNew(
  deps: Deps,
  project: Project,
  targets: readonly Target[],
  { people, batch, created }: { people: People; batch: RecordBatch; created: ReadonlyMap<FindingRecord, number> },
): Promise<Set<Target>> {
  const fresh = targets.filter(({ matched, findingId }) => created.get(matched.record) === findingId)
  const drafts = fresh.map(({ matched: { record }, ...ids }) => ({ record, ...ids }))
  const ids = await restoreExports(deps, project, drafts, { people, batch })
  const restored = fresh.filter(({ vulnerabilityId }) => ids.has(vulnerabilityId))
  const rows = restored.map((target) => {
    const { state, exact, comments } = target.matched.record
    const notes = comments.map(({ body }) => hash('sha1', body))
    return rowOf(target, batch, { state, reason: exact?.dismissalReason ?? null, notes })
  })
  if (rows.length > 0) await upsertImportedRecords(deps.db, project.id, rows, deps.now())
  return new Set(restored)
}

async function recordEvent(
  deps: Deps,
  project: Project,
  { source, sourceName, records }: RecordBatch,
  { created, changed }: { created: number; changed: number },
): Promise<void> {
  if (changed === 0) return
  await recordAuditEvent(deps, 'findings_imported', {
    entity: projectEntity(project),
    message: `Imported ${changed} findings from ${sourceName}`,
    extra: { source, records: records.length, created, changed },
  })
}

/** Returns where the finding of a vulnerability was imported from, oldest first. */
export function listOrigins({ db }: Pick<Deps, 'db'>, vulnerabilityId: number): Promise<Origin[]> {
  return listOriginsOf(db, vulnerabilityId)
}

/** Returns the findings of a project that were imported, in the order of their ids in the source. */
export async function listImportedFindings(
  { db }: Pick<Deps, 'db'>,
  project: Pick<Project, 'id'>,
  filter: ImportedFilter,
  page: PageRequest,
): Promise<Page<ImportedFinding>> {
  const [rows, counted] = await Promise.all([
    listImported(db, project.id, filter, page),
    countImported(db, project.id, filter),
  ])
  return pageOf(page, rows, counted)
}
