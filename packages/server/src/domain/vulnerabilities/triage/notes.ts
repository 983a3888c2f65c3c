import { forbidden, invalid, notFound } from '../../../platform/failure.ts'
import type { Caller } from '../../access/callers.ts'
import { roles } from '../../access/roles.ts'
import { projectEntity } from '../../audit/audit-event.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import { type Deps, projectTransaction } from '../../deps.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import type { Project } from '../../projects/project.ts'
import { projectLevel } from '../../projects/visible.ts'
import type { Vulnerability } from '../vulnerability.ts'
import { recordHistory } from './history/history.ts'
import type { HistoryKind, PastEntry } from './history/history-entry.ts'
import {
  countHistory,
  deleteNote,
  findHistoryEntry,
  insertNote,
  listCommentCounts,
  listEntries,
  listEntrySizes,
  listHistory,
  updateNote,
} from './history/history-queries.ts'
import { findVulnerabilityById } from './triage-queries.ts'

/** Kinds of entries that GitLab returns as notes: user comments, and system notes about state and severity. */
const kindsOf = {
  all: ['note', 'state', 'severity'],
  comments: ['note'],
  activity: ['state', 'severity'],
} as const satisfies Record<string, HistoryKind[]>
export type NoteFilter = keyof typeof kindsOf

/** Returns the vulnerability of a project whose notes are requested. */
async function getNoteable({ db }: Deps, project: Project, id: number): Promise<Vulnerability> {
  const vulnerability = await findVulnerabilityById(db, id)
  if (vulnerability?.projectId !== project.id) throw notFound('Vulnerability')
  return vulnerability
}

export interface NoteQuery {
  vulnerabilityId: number
  filter: NoteFilter
  sort: 'asc' | 'desc'
}

export async function findNotes(
  deps: Deps,
  project: Project,
  { vulnerabilityId, filter, sort }: NoteQuery,
  page: PageRequest,
): Promise<Page<PastEntry>> {
  await getNoteable(deps, project, vulnerabilityId)
  const which = { vulnerabilityId, kinds: kindsOf[filter] }
  const [rows, counted] = await Promise.all([listHistory(deps.db, which, sort, page), countHistory(deps.db, which)])
  return pageOf(page, rows, counted)
}

const maxNewest = 100

/**
 * Returns the newest notes of several vulnerabilities, at most 100 of each, oldest first. `spend` gets the number of
 * characters before they are read, and may refuse.
 */
export async function findNewestNotes(
  { db }: Deps,
  vulnerabilityIds: readonly number[],
  spend: (characters: number) => void,
): Promise<PastEntry[]> {
  const sizes = await listEntrySizes(db, { vulnerabilityIds, kinds: kindsOf.all }, maxNewest)
  spend(sizes.reduce((sum, { size }) => sum + size, 0))
  const ids = sizes.map(({ id }) => id)
  return listEntries(db, ids)
}

/** Returns the number of comments on each vulnerability. */
export async function countComments({ db }: Deps, vulnerabilityIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await listCommentCounts(db, vulnerabilityIds)
  return new Map(rows.map(({ vulnerabilityId, total }) => [vulnerabilityId, total]))
}

/** Ids that identify a note. */
export interface NoteKey {
  vulnerabilityId: number
  id: number
}

export async function getNote(deps: Deps, project: Project, { vulnerabilityId, id }: NoteKey): Promise<PastEntry> {
  await getNoteable(deps, project, vulnerabilityId)
  const note = await findHistoryEntry(deps.db, { vulnerabilityId, kinds: kindsOf.all }, id)
  if (!note) throw notFound()
  return note
}

export function createNote(
  deps: Deps,
  project: Project,
  caller: Caller,
  { vulnerabilityId, body }: { vulnerabilityId: number; body: string },
): Promise<PastEntry> {
  return projectTransaction(deps, project.id, async (deps) => {
    await getNoteable(deps, project, vulnerabilityId)
    assertBody(body)
    const id = await insertNote(deps.db, { vulnerabilityId, userId: caller.user.id, body, now: deps.now() })
    return getNote(deps, project, { vulnerabilityId, id })
  })
}

export function changeNote(
  deps: Deps,
  project: Project,
  caller: Caller,
  note: NoteKey & { body: string },
): Promise<PastEntry> {
  return projectTransaction(deps, project.id, async (deps) => {
    await assertMayChange(deps, project, caller, await getNote(deps, project, note))
    assertBody(note.body)
    if (!(await updateNote(deps.db, note.id, note.body, deps.now()))) throw notFound()
    return getNote(deps, project, note)
  })
}

export function removeNote(deps: Deps, project: Project, caller: Caller, note: NoteKey): Promise<void> {
  return projectTransaction(deps, project.id, async (deps) => {
    await assertMayChange(deps, project, caller, await getNote(deps, project, note))
    if (!(await deleteNote(deps.db, note.id))) throw notFound()
    const entry = { vulnerabilityId: note.vulnerabilityId, kind: 'note_deleted', userId: caller.user.id } as const
    await recordHistory(deps.db, [entry], deps.now())
    await recordAuditEvent(deps, 'vulnerability_note_destroyed', {
      entity: projectEntity(project),
      message: 'Deleted a note',
      target: { type: 'Vulnerability', id: note.vulnerabilityId, name: `vulnerability ${note.vulnerabilityId}` },
      extra: { note_id: note.id },
    })
  })
}

/** Permits changes by the author and by maintainers. System notes cannot be changed. */
async function assertMayChange(deps: Deps, project: Project, caller: Caller, note: PastEntry): Promise<void> {
  if (note.kind !== 'note') throw forbidden()
  if (note.userId === caller.user.id) return
  if ((await projectLevel(deps, project, caller)) < roles.maintainer) throw forbidden()
}

const maxBody = 1_000_000

function assertBody(body: string): void {
  if (body.trim() === '') throw invalid({ note: ["can't be blank"] })
  if ([...body].length > maxBody) throw invalid({ note: [`is too long (maximum is ${maxBody} characters)`] })
}
