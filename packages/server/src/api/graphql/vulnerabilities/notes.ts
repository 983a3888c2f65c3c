import type { PastEntry } from '../../../domain/vulnerabilities/triage/history/history-entry.ts'
import { historyText } from '../../../domain/vulnerabilities/triage/history/history-text.ts'
import type { VulnerabilityWithFinding } from '../../../domain/vulnerabilities/vulnerability.ts'
import { type ConnectionArgs, connectionArguments, connectionOfAll, connectionTypes } from '../connection.ts'
import type { Context } from '../context.ts'
import { globalId } from '../global-id.ts'
import { may } from './project-right.ts'

/** Fields of a vulnerability about what was written about it. */
export const noteFields = `
  "Number of comments by users."
  userNotesCount: Int!
  "The newest 100 comments and system notes about state and severity, oldest first."
  notes(${connectionArguments}, filter: NotesFilterType): NoteConnection
  "The notes as discussions of one note each, because notes have no replies."
  discussions(${connectionArguments}): DiscussionConnection!
  "Authors of the newest 100 comments."
  commenters(${connectionArguments}): UserCoreConnection
  "Changes of the severity by users; the newest 100, oldest first."
  severityOverrides(${connectionArguments}): SeverityOverrideConnection`

export const noteTypes = `
"Kinds of notes: all, those by users, and those by the system."
enum NotesFilterType { ALL_NOTES ONLY_COMMENTS ONLY_ACTIVITY }
"A comment or a system note."
type Note {
  id: ID!
  "Markdown."
  body: String!
  "Null for a deleted user and after an import."
  author: UserCore
  system: Boolean!
  internal: Boolean!
  createdAt: Time!
  updatedAt: Time!
  resolvable: Boolean!
  resolved: Boolean!
  discussion: Discussion
}
type Discussion {
  id: ID!
  replyId: ID!
  createdAt: Time!
  resolvable: Boolean!
  resolved: Boolean!
  notes(${connectionArguments}): NoteConnection!
}
"A change of the severity by a user."
type SeverityOverride {
  originalSeverity: VulnerabilitySeverity!
  newSeverity: VulnerabilitySeverity!
  createdAt: Time!
  "Null for a deleted user."
  author: UserCore
}
${connectionTypes('Note')}${connectionTypes('Discussion')}${connectionTypes('UserCore')}${connectionTypes('SeverityOverride')}`

type Source = VulnerabilityWithFinding
type NoteArgs = ConnectionArgs & { filter?: string | null }

const mayReadNotes = may('vulnerability.note.read', 'project')

/** Returns the notes that the caller may read. The right is checked meanwhile, so that all fields share one batch. */
async function notesOf(source: Source, _: unknown, context: Context): Promise<PastEntry[]> {
  const [isPermitted, notes] = await Promise.all([
    mayReadNotes(source, _, context),
    context.load.notes(source.vulnerability.id),
  ])
  return isPermitted ? notes : []
}

const isComment = ({ kind }: PastEntry) => kind === 'note'

const isShown = (filter: string | null | undefined) => (note: PastEntry) =>
  filter === 'ONLY_COMMENTS' ? isComment(note) : filter === 'ONLY_ACTIVITY' ? !isComment(note) : true

export const noteResolvers = {
  async userNotesCount(source: Source, _: unknown, context: Context) {
    const [isPermitted, count] = await Promise.all([
      mayReadNotes(source, _, context),
      context.load.commentCount(source.vulnerability.id),
    ])
    return isPermitted ? count : 0
  },
  async notes(source: Source, args: NoteArgs, context: Context) {
    return connectionOfAll((await notesOf(source, args, context)).filter(isShown(args.filter)), args)
  },
  async discussions(source: Source, args: ConnectionArgs, context: Context) {
    return connectionOfAll(await notesOf(source, args, context), args)
  },
  async commenters(source: Source, args: ConnectionArgs, context: Context) {
    const comments = (await notesOf(source, args, context)).filter(isComment)
    const authors = new Map(comments.flatMap(({ author }) => (author ? [[author.id, author] as const] : [])))
    return connectionOfAll([...authors.values()], args)
  },
  async severityOverrides(source: Source, args: ConnectionArgs, context: Context) {
    const notes = await notesOf(source, args, context)
    return connectionOfAll(
      notes.filter(({ kind, userId }) => kind === 'severity' && userId !== null),
      args,
    )
  },
}

/** A note is the source of its discussion, too. */
const discussionId = ({ id }: PastEntry) => globalId('Discussion', id.toString(16).padStart(40, '0'))

export const noteTypeResolvers = {
  Note: {
    id: ({ id }: PastEntry) => globalId('Note', id),
    body: historyText,
    system: (note: PastEntry) => !isComment(note),
    internal: () => false,
    resolvable: () => false,
    resolved: () => false,
    discussion: (note: PastEntry) => note,
  },
  Discussion: {
    id: discussionId,
    replyId: discussionId,
    resolvable: () => false,
    resolved: () => false,
    notes: (note: PastEntry, args: ConnectionArgs) => connectionOfAll([note], args),
  },
  SeverityOverride: {
    originalSeverity: ({ from }: PastEntry) => from?.toUpperCase(),
    newSeverity: ({ to }: PastEntry) => to?.toUpperCase(),
  },
}
