import Type from 'typebox'
import type { Occurrence, PastImport } from '../../../domain/findings/occurrences/occurrence.ts'
import { findOccurrences } from '../../../domain/findings/occurrences/occurrences.ts'
import { findHistory } from '../../../domain/vulnerabilities/triage/history/history.ts'
import type { PastEntry } from '../../../domain/vulnerabilities/triage/history/history-entry.ts'
import { historyKinds } from '../../../domain/vulnerabilities/triage/history/history-entry.ts'
import { historyText } from '../../../domain/vulnerabilities/triage/history/history-text.ts'
import { oneOf } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableUser, viewBasicUser } from '../users/views.ts'
import { nullableInteger, nullableString, timestamp } from '../views.ts'

const importFields = Type.Object({
  id: Type.Integer(),
  ref: Type.String(),
  category: nullableString,
  commit_sha: nullableString,
  format: Type.String(),
  scanner: nullableString,
  created_at: timestamp,
})

const viewImport = ({ id, ref, category, commitSha, format, scanner, createdAt }: PastImport) => ({
  id,
  ref,
  category,
  commit_sha: commitSha,
  format,
  scanner,
  created_at: createdAt,
})

const nullableImport = Type.Unsafe<ReturnType<typeof viewImport> | null>({ ...importFields, type: ['object', 'null'] })
const nullableObject = Type.Unsafe<object | null>({ type: ['object', 'null'], additionalProperties: true })

const entryView = Type.Object(
  {
    id: Type.Integer(),
    kind: Type.Unsafe<(typeof historyKinds)[number]>({ type: 'string', enum: historyKinds }),
    text: Type.String({ description: 'Description of the event as a sentence without a subject' }),
    author: nullableUser,
    import: nullableImport,
    bulk_id: nullableInteger,
    ref: nullableString,
    from: nullableString,
    to: nullableString,
    comment: nullableString,
    dismissal_reason: nullableString,
    details: nullableObject,
    created_at: timestamp,
    updated_at: timestamp,
  },
  { title: 'VulnerabilityHistoryEntry' },
)

function viewEntry(entry: PastEntry, origin: string) {
  return {
    id: entry.id,
    kind: entry.kind,
    text: historyText(entry),
    author: entry.author && viewBasicUser(entry.author, origin),
    import: entry.import && viewImport(entry.import),
    bulk_id: entry.bulkId,
    ref: entry.ref,
    from: entry.from,
    to: entry.to,
    comment: entry.comment,
    dismissal_reason: entry.dismissalReason,
    details: viewDetails(entry.details),
    created_at: entry.createdAt,
    updated_at: entry.updatedAt,
  }
}

/** Leaves out what only the undo of a bulk change needs. */
function viewDetails(details: object | null): object | null {
  if (!details || !('before' in details)) return details
  const { before: _, ...shown } = details
  return Object.keys(shown).length > 0 ? shown : null
}

const occurrenceView = Type.Object(
  {
    ref: Type.String(),
    is_default: Type.Boolean(),
    is_present: Type.Boolean(),
    categories: Type.Array(Type.String(), {
      description: 'Categories whose latest reports contain the vulnerability, or contained it last',
    }),
    first_seen_at: timestamp,
    last_seen_at: timestamp,
    first_import: nullableImport,
    last_import: nullableImport,
  },
  { title: 'VulnerabilityOccurrence' },
)

const viewOccurrence = (occurrence: Occurrence, defaultBranch: string) => ({
  ref: occurrence.ref,
  is_default: occurrence.ref === defaultBranch,
  is_present: occurrence.isPresent,
  categories: occurrence.categories,
  first_seen_at: occurrence.firstSeenAt,
  last_seen_at: occurrence.lastSeenAt,
  first_import: occurrence.firstImport && viewImport(occurrence.firstImport),
  last_import: occurrence.lastImport && viewImport(occurrence.lastImport),
})

export const vulnerabilityHistoryRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/vulnerabilities/:id/history',
    summary: 'Get the history of a vulnerability',
    permission: 'vulnerability.read',
    input: Type.Object({ sort: oneOf(['asc', 'desc'], { default: 'asc', description: '`asc`: oldest first' }) }),
    status: 200,
    output: Type.Array(entryView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, vulnerability, input, page, origin }) {
      const found = await findHistory(deps, vulnerability.id, input.sort, page)
      return { ...found, rows: found.rows.map((entry) => viewEntry(entry, origin)) }
    },
  }),
  route({
    method: 'GET',
    path: '/vulnerabilities/:id/occurrences',
    summary: 'List the refs on which a vulnerability was detected',
    permission: 'vulnerability.read',
    status: 200,
    output: Type.Array(occurrenceView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, project, vulnerability, page }) {
      const found = await findOccurrences(deps, vulnerability.id, page)
      return { ...found, rows: found.rows.map((row) => viewOccurrence(row, project.defaultBranch)) }
    },
  }),
]
