import type {
  AppliedTriage,
  ImportedDecision,
  ImportedNote,
  ImportedTriage,
  PastDecision,
} from '../vulnerabilities/imported-triage/imported-triage.ts'
import type { People } from './people.ts'
import type { EarlierDecision, FindingRecord, RecordBatch, RecordComment } from './record.ts'

interface Target {
  vulnerabilityId: number
  former: AppliedTriage | undefined
  people: People
  batch: Pick<RecordBatch, 'source' | 'sourceName'>
  now: string
}

/** Returns the triage of a record, and notes about what has no counterpart. */
export function triageOf(record: FindingRecord, target: Target): { triage: ImportedTriage; notes: string[] } {
  const { people, batch, vulnerabilityId, former } = target
  const notes: string[] = []
  const assignee = record.assignee === undefined ? undefined : people.assigneeOf(record.assignee)
  if (record.assignee !== undefined && !assignee) {
    notes.push(`assignee ${record.assignee}: is not a user who may triage vulnerabilities of this project`)
  }
  const { decision, ended } = decisionOf(record, target)
  if (ended) notes.push(ended)
  const comments = record.comments.map((comment) => noteOf(comment, target))
  // A vulnerability that is detected has no comment on its state.
  if (record.comment !== undefined && decision.state === 'detected') {
    const { decidedBy: author, decidedAt: createdAt, comment: body } = record
    comments.push(noteOf({ body, author, createdAt }, target))
  }
  return {
    notes,
    triage: {
      vulnerabilityId,
      decision,
      severity: record.setSeverity,
      dueOn: record.dueOn,
      assigneeId: assignee?.id,
      tags: record.tags,
      notes: comments,
      userId: people.importer.id,
      origin: {
        imported_from: batch.sourceName,
        source_id: record.id,
        ...(record.url !== undefined && { source_url: record.url }),
      },
      former,
    },
  }
}

/** Maximum number of years until a dismissal ends, as of dismissals in Alcove. */
const maxYears = 5

function decisionOf(record: FindingRecord, target: Target): { decision: ImportedDecision; ended: string | undefined } {
  const { people, now } = target
  const { dismissedUntil, decidedBy, comment } = record
  const today = now.slice(0, 10)
  const latest = `${Number(now.slice(0, 4)) + maxYears}${now.slice(4, 10)}`
  const isDismissed = record.state === 'dismissed'
  const isOver = isDismissed && dismissedUntil !== undefined && dismissedUntil <= today
  const isLate = isDismissed && dismissedUntil !== undefined && dismissedUntil > latest
  const author = people.authorOf(decidedBy)
  const ended = isOver
    ? `the dismissal ended on ${dismissedUntil}, so the finding is detected`
    : isLate
      ? `the dismissal until ${dismissedUntil} ends on ${latest}, the latest possible day`
      : undefined
  const decision: ImportedDecision = {
    state: isOver ? 'detected' : record.state,
    reason: isDismissed && !isOver ? record.dismissalReason : undefined,
    until: !isDismissed || isOver ? undefined : isLate ? latest : dismissedUntil,
    untilFixed: isDismissed && !isOver && record.dismissedUntilFixed,
    comment: author ? comment : signed(comment, { author: decidedBy, createdAt: record.decidedAt }, target),
    userId: author?.id ?? people.importer.id,
    decidedAt: notLater(record.decidedAt, now),
    earlier: record.earlierDecisions.map((earlier) => earlierOf(earlier, target)),
  }
  return { decision, ended }
}

function earlierOf(earlier: EarlierDecision, target: Target): PastDecision {
  const { people, now } = target
  const { state, decidedBy, decidedAt, comment } = earlier
  const author = people.authorOf(decidedBy)
  return {
    state,
    reason: state === 'dismissed' ? earlier.dismissalReason : undefined,
    until: undefined,
    untilFixed: false,
    comment: author ? comment : signed(comment, { author: decidedBy, createdAt: decidedAt }, target),
    userId: author?.id ?? people.importer.id,
    decidedAt: notLater(decidedAt, now),
  }
}

function noteOf(comment: RecordComment, target: Target): ImportedNote {
  const author = target.people.authorOf(comment.author)
  return {
    body: author ? comment.body : (signed(comment.body, comment, target) ?? comment.body),
    userId: author?.id ?? target.people.importer.id,
    createdAt: notLater(comment.createdAt, target.now),
  }
}

const notLater = (time: string | undefined, now: string): string => (time === undefined || time > now ? now : time)

/** Adds the author and the day to a text that is not attributed to its author. */
function signed(
  text: string | undefined,
  { author, createdAt }: Pick<RecordComment, 'author' | 'createdAt'>,
  { batch }: Target,
): string | undefined {
  if (author === undefined && createdAt === undefined) return text
  const by = author === undefined ? '' : `By ${author} `
  const day = createdAt === undefined ? '' : `on ${createdAt.slice(0, 10)} `
  const line = `${by}${day}in ${batch.sourceName}`
  const sentence = `${line.charAt(0).toUpperCase()}${line.slice(1)}`
  return text === undefined ? `${sentence}.` : `${sentence}:\n\n${text}`
}
