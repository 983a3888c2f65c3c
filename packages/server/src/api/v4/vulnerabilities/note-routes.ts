import Type from 'typebox'
import type { Project } from '../../../domain/projects/project.ts'
import type { PastEntry } from '../../../domain/vulnerabilities/triage/history/history-entry.ts'
import { historyText } from '../../../domain/vulnerabilities/triage/history/history-text.ts'
import {
  changeNote,
  createNote,
  findNotes,
  getNote,
  type NoteFilter,
  type NoteKey,
  removeNote,
} from '../../../domain/vulnerabilities/triage/notes.ts'
import { integer, oneOf, text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableUser, viewBasicUser } from '../users/views.ts'
import { nullableString, timestamp } from '../views.ts'

const noteView = Type.Object(
  {
    id: Type.Integer(),
    type: Type.Null(),
    body: Type.String(),
    attachment: Type.Null(),
    author: nullableUser,
    created_at: timestamp,
    updated_at: timestamp,
    system: Type.Boolean(),
    noteable_id: Type.Integer(),
    noteable_type: Type.String(),
    project_id: Type.Integer(),
    resolvable: Type.Boolean(),
    confidential: Type.Boolean(),
    internal: Type.Boolean(),
    imported: Type.Boolean(),
    imported_from: Type.String(),
    noteable_iid: Type.Null(),
    commands_changes: Type.Object({}),
    dismissal_reason: nullableString,
  },
  { title: 'Note' },
)

function viewNote(project: Project, entry: PastEntry, origin: string) {
  return {
    id: entry.id,
    type: null,
    body: historyText(entry),
    attachment: null,
    author: entry.author && viewBasicUser(entry.author, origin),
    created_at: entry.createdAt,
    updated_at: entry.updatedAt,
    system: entry.kind !== 'note',
    noteable_id: entry.vulnerabilityId,
    noteable_type: 'Vulnerability',
    project_id: project.id,
    resolvable: false,
    confidential: false,
    internal: false,
    imported: false,
    imported_from: 'none',
    noteable_iid: null,
    commands_changes: {},
    dismissal_reason: entry.dismissalReason,
  }
}

const discussionView = Type.Object(
  { id: Type.String(), individual_note: Type.Boolean(), notes: Type.Array(noteView) },
  { title: 'Discussion' },
)

/** Replies do not exist here, so each note is its own discussion. */
const viewDiscussion = (note: ReturnType<typeof viewNote>) => ({
  id: note.id.toString(16).padStart(40, '0'),
  individual_note: true,
  notes: [note],
})

const notesPath = '/projects/:id/vulnerabilities/:vulnerability_id/notes'
const ofVulnerability = { vulnerability_id: integer() }
const ofNote = { ...ofVulnerability, note_id: integer() }
const noteKey = (input: { vulnerability_id: number; note_id: number }): NoteKey => ({
  vulnerabilityId: input.vulnerability_id,
  id: input.note_id,
})
const body = { body: text({ description: 'Markdown' }) }

const filters = {
  all_notes: 'all',
  only_comments: 'comments',
  only_activity: 'activity',
} as const satisfies Record<string, NoteFilter>

export const vulnerabilityNoteRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: notesPath,
    summary: 'List the notes on a vulnerability, including system notes',
    permission: 'vulnerability.note.read',
    input: Type.Object({
      ...ofVulnerability,
      sort: oneOf(['asc', 'desc'], { default: 'desc' }),
      activity_filter: oneOf(['all_notes', 'only_comments', 'only_activity'], { default: 'all_notes' }),
    }),
    status: 200,
    output: Type.Array(noteView),
    paged: true,
    async handle({ deps, project, input, page, origin }) {
      const { vulnerability_id: vulnerabilityId, sort } = input
      const filter = filters[input.activity_filter]
      const found = await findNotes(deps, project, { vulnerabilityId, filter, sort }, page)
      return { ...found, rows: found.rows.map((note) => viewNote(project, note, origin)) }
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/vulnerabilities/:vulnerability_id/discussions',
    summary: 'List the notes on a vulnerability as discussions',
    permission: 'vulnerability.note.read',
    input: Type.Object(ofVulnerability),
    status: 200,
    output: Type.Array(discussionView),
    paged: true,
    async handle({ deps, project, input, page, origin }) {
      const query = { vulnerabilityId: input.vulnerability_id, filter: 'all', sort: 'asc' } as const
      const found = await findNotes(deps, project, query, page)
      return { ...found, rows: found.rows.map((note) => viewDiscussion(viewNote(project, note, origin))) }
    },
  }),
  route({
    method: 'GET',
    path: `${notesPath}/:note_id`,
    summary: 'Get a note on a vulnerability',
    permission: 'vulnerability.note.read',
    input: Type.Object(ofNote),
    status: 200,
    output: noteView,
    handle: async ({ deps, project, input, origin }) =>
      viewNote(project, await getNote(deps, project, noteKey(input)), origin),
  }),
  route({
    method: 'POST',
    path: notesPath,
    summary: 'Create a note on a vulnerability',
    permission: 'vulnerability.note.write',
    input: Type.Object({ ...ofVulnerability, ...body }),
    status: 201,
    output: noteView,
    async handle({ deps, project, caller, input, origin }) {
      const draft = { vulnerabilityId: input.vulnerability_id, body: input.body }
      return viewNote(project, await createNote(deps, project, caller, draft), origin)
    },
  }),
  route({
    method: 'PUT',
    path: `${notesPath}/:note_id`,
    summary: 'Update a note on a vulnerability',
    permission: 'vulnerability.note.write',
    input: Type.Object({ ...ofNote, ...body }),
    status: 200,
    output: noteView,
    async handle({ deps, project, caller, input, origin }) {
      const changed = await changeNote(deps, project, caller, { ...noteKey(input), body: input.body })
      return viewNote(project, changed, origin)
    },
  }),
  route({
    method: 'DELETE',
    path: `${notesPath}/:note_id`,
    summary: 'Delete a note on a vulnerability',
    permission: 'vulnerability.note.write',
    input: Type.Object(ofNote),
    status: 204,
    output: noOutput,
    handle: ({ deps, project, caller, input }) => removeNote(deps, project, caller, noteKey(input)),
  }),
]
