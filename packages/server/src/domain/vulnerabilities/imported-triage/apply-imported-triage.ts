import { hash } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import type { Project } from '../../projects/project.ts'
import type { User } from '../../users/user.ts'
import { selectForApproval } from '../approval/request-approval.ts'
import { addToFacetCounts } from '../list/counts/count-change-queries.ts'
import { countChanges } from '../list/counts/count-changes.ts'
import { listDecisions } from '../rules/finding-queries.ts'
import type { Aspect } from '../rules/rule-effects.ts'
import { usernamesOf } from '../triage/assignees.ts'
import { applyChange, type Change, type Dismissal, entryOf } from '../triage/change.ts'
import { endsWithFix } from '../triage/dismissals/dismissal-end.ts'
import { listWithFix } from '../triage/dismissals/ended-dismissal-queries.ts'
import { recordVulnerabilityChanges } from '../triage/history/vulnerability-events.ts'
import { upsertTags } from '../triage/tag-queries.ts'
import { tagKey } from '../triage/tags.ts'
import { reportedSeverities, requestBatch, saveChanges } from '../triage/triage.ts'
import { lockVulnerabilities } from '../triage/triage-queries.ts'
import type { Vulnerability } from '../vulnerability.ts'
import type {
  AppliedTriage,
  ImportedDecision,
  ImportedOutcome,
  ImportedTriage,
  PastDecision,
  TriageResult,
} from './imported-triage.ts'
import { insertPastEntries, type PastDraft } from './imported-triage-queries.ts'

interface Context {
  now: string
  /** What users have decided in Alcove, by vulnerability. */
  decided: ReadonlyMap<number, ReadonlySet<Aspect>>
  needing: ReadonlySet<number>
  fixable: ReadonlySet<number>
  usernames: ReadonlyMap<number, string>
  reported: ReadonlyMap<number, Vulnerability['severity']>
  /** Tags as the project spells them, by key. */
  tags: ReadonlyMap<string, string>
}

interface Applied extends TriageResult {
  before: Vulnerability
  after: Vulnerability
  entries: PastDraft[]
  request: Dismissal | undefined
}

/**
 * Applies triage of another product to vulnerabilities of the project, in the transaction of the import. What users
 * have decided in Alcove stays. Returns the results in the order of the triage; no vulnerability may be in it twice.
 */
export async function applyImportedTriage(
  deps: Deps,
  project: Project,
  user: User,
  triage: readonly ImportedTriage[],
): Promise<TriageResult[]> {
  const now = deps.now()
  const ids = triage.map(({ vulnerabilityId }) => vulnerabilityId).sort((a, b) => a - b)
  const locked = await lockVulnerabilities(deps.db, project.id, ids)
  const context = await loadContext(deps, project, locked, triage)
  const beforeOf = new Map(locked.map((vulnerability) => [vulnerability.id, vulnerability]))
  const applied = triage.map((one) => {
    const before = beforeOf.get(one.vulnerabilityId)
    if (!before) throw new Error('an imported vulnerability is gone')
    return apply(before, one, context)
  })
  const changed = applied.filter(({ before, after }) => before !== after)
  await saveChanges(deps, project.id, changed, now)
  await insertPastEntries(
    deps.db,
    applied.flatMap(({ entries }) => entries),
  )
  for (const { before, request } of applied) {
    if (request) await requestBatch(deps, project, [before.id], { change: request, userId: user.id, now })
  }
  await recordVulnerabilityChanges(
    deps,
    project.id,
    changed.map(({ after }) => after.id),
  )
  await addToFacetCounts(deps.db, project.id, countChanges(changed), now)
  return applied.map(({ outcome, missingNotes, applied }) => ({ outcome, missingNotes, applied }))
}

async function loadContext(
  deps: Deps,
  project: Project,
  locked: readonly Vulnerability[],
  triage: readonly ImportedTriage[],
): Promise<Context> {
  const ids = locked.map(({ id }) => id)
  const reported = await reportedSeverities(deps, ids)
  const candidates = locked.map((vulnerability) => {
    return { vulnerability, reported: reported.get(vulnerability.id) ?? vulnerability.severity }
  })
  const { needing } = await selectForApproval(deps, project.id, candidates)
  const tags = [...new Set(triage.flatMap(({ tags }) => tags))]
  const spelled = tags.length > 0 ? await upsertTags(deps.db, project.id, tags) : []
  const assignees = [...triage, ...locked].flatMap(({ assigneeId }) => assigneeId ?? [])
  return {
    now: deps.now(),
    decided: await listDecided(deps, ids),
    needing: new Set(needing.map(({ id }) => id)),
    fixable: new Set(await listWithFix(deps.db, ids)),
    usernames: await usernamesOf(deps, assignees),
    reported,
    tags: new Map(spelled.map((tag) => [tagKey(tag), tag])),
  }
}

/** Returns what users have decided in Alcove. Entries of imports have an origin and do not count. */
async function listDecided(deps: Deps, ids: readonly number[]): Promise<Map<number, Set<Aspect>>> {
  const decided = new Map<number, Set<Aspect>>()
  for (const { vulnerabilityId, kind, details } of await listDecisions(deps.db, ids)) {
    const aspects = decided.get(vulnerabilityId) ?? new Set<Aspect>()
    decided.set(vulnerabilityId, aspects)
    // The last entry counts: a user may have changed what an import had set.
    if (details && 'imported_from' in details) aspects.delete(kind)
    else aspects.add(kind)
  }
  return decided
}

function apply(before: Vulnerability, triage: ImportedTriage, context: Context): Applied {
  const { decision, former, notes } = triage
  const outcome = decision ? outcomeOf(before, decision, former, context) : 'unchanged'
  const request = outcome === 'requested' && decision ? dismissalOf(decision) : undefined
  const changes: [Change, PastDecision?][] = []
  if (decision && outcome === 'applied') {
    const made = [...newEarlier(decision, former), decision]
    changes.push(...made.map((one): [Change, PastDecision] => [changeOf(one), one]))
  }
  const isFree = (aspect: Aspect) => !context.decided.get(before.id)?.has(aspect)
  if (triage.severity && isFree('severity')) changes.push([{ action: 'severity', severity: triage.severity }])
  if (triage.dueOn && isFree('due_date')) changes.push([{ action: 'due_date', dueOn: triage.dueOn }])
  if (triage.assigneeId !== undefined && isFree('assignee') && before.assigneeId === null) {
    changes.push([{ action: 'assign', assigneeId: triage.assigneeId }])
  }
  if (triage.tags.length > 0)
    changes.push([{ action: 'tag', tags: triage.tags.map((tag) => context.tags.get(tagKey(tag)) ?? tag) }])
  let after = before
  const entries: PastDraft[] = []
  for (const [change, made] of changes) {
    const [userId, now] = made ? [made.userId, made.decidedAt] : [triage.userId, context.now]
    const reported = context.reported.get(before.id) ?? before.severity
    const changed = applyChange(after, change, reported, { userId, now })
    if (!changed) continue
    const entry = entryOf({ before: after, after: changed }, change, { userId, now }, context.usernames)
    after = { ...changed, updatedAt: context.now }
    const details = { ...entry.details, ...triage.origin }
    entries.push({ ...entry, userId, details, createdAt: now })
  }
  const known = new Set(former?.notes ?? [])
  const fresh = notes.filter((note) => !known.has(hashOf(note.body)))
  for (const { body, userId, createdAt } of fresh) {
    const entry = { vulnerabilityId: before.id, kind: 'note', comment: body, details: triage.origin } as const
    entries.push({ ...entry, userId, createdAt })
  }
  entries.sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0))
  const hashes = [...new Set([...known, ...notes.map(({ body }) => hashOf(body))])]
  const set: AppliedTriage =
    decision && outcome === 'applied'
      ? { state: decision.state, reason: decision.reason ?? null, decidedAt: decision.decidedAt }
      : (former ?? {})
  const missingNotes = countMissing(triage)
  return { before, after, entries, request, outcome, missingNotes, applied: { ...set, notes: hashes } }
}

/** Counts former notes that the record no longer has, not even as the comment of a decision. */
function countMissing({ decision, former, notes }: ImportedTriage): number {
  const present = [
    ...notes.map(({ body }) => body),
    decision?.comment,
    ...(decision?.earlier ?? []).map((one) => one.comment),
  ]
  const hashes = new Set(present.flatMap((text) => (text === undefined ? [] : [hashOf(text)])))
  return (former?.notes ?? []).filter((note) => !hashes.has(note)).length
}

/** Returns the earlier decisions that no import has stored. */
function newEarlier({ earlier = [] }: ImportedDecision, former: AppliedTriage | undefined): readonly PastDecision[] {
  const since = former?.decidedAt
  return former === undefined ? earlier : since === undefined ? [] : earlier.filter((one) => one.decidedAt > since)
}

const hashOf = (text: string): string => hash('sha1', text)

function outcomeOf(
  before: Vulnerability,
  decision: ImportedDecision,
  former: AppliedTriage | undefined,
  { decided, needing, fixable }: Context,
): ImportedOutcome {
  const { state, dismissalReason } = before
  const isSame = state === decision.state && (state !== 'dismissed' || dismissalReason === (decision.reason ?? null))
  const hasHistory = newEarlier(decision, former).length > 0
  if (isSame && !hasHistory && (state !== 'dismissed' || hasSameEnd(before, decision))) return 'unchanged'
  if (decided.get(before.id)?.has('state')) return 'kept'
  const isOfFormer = former?.state === state && (state !== 'dismissed' || former.reason === dismissalReason)
  if (state !== 'detected' && !isOfFormer && before.ruleId === null) return 'kept'
  if (decision.state !== 'dismissed') return 'applied'
  if (endsWithFix(dismissalOf(decision)) && fixable.has(before.id)) return 'kept'
  if (!needing.has(before.id)) return 'applied'
  return before.dismissalRequestId === null ? 'requested' : 'unchanged'
}

const hasSameEnd = (
  { dismissedUntil, isDismissedUntilFixed }: Vulnerability,
  { until, untilFixed }: ImportedDecision,
) => dismissedUntil === (until ?? null) && isDismissedUntilFixed === untilFixed

const dismissalOf = ({ comment, reason, until, untilFixed }: PastDecision): Dismissal => ({
  action: 'dismiss',
  comment,
  dismissalReason: reason,
  until: until ?? null,
  untilFixed,
})

function changeOf(decision: PastDecision): Change {
  const { comment } = decision
  if (decision.state === 'dismissed') return dismissalOf(decision)
  if (decision.state === 'detected') return { action: 'revert', comment }
  return { action: decision.state === 'confirmed' ? 'confirm' : 'resolve', comment }
}
