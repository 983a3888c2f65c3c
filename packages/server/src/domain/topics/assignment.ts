import type { Db } from '../../db/db.ts'
import { type Failure, invalid, unavailable } from '../../platform/failure.ts'
import type { Visibility } from '../access/roles.ts'
import type { Deps } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import type { Visitor } from '../projects/visible.ts'
import { nameProblems } from './topic.ts'
import { recordTopicEvents } from './topic-events.ts'
import { claimName, lockTopicsNamed } from './topic-name-queries.ts'
import {
  adjustCounts,
  assignToAll,
  deleteTopic,
  insertTopic,
  listAssignedNames,
  listAssignedTopicIds,
  listAssignments,
  listNearest,
  lockTopics,
  recountTopics,
  removeFromAll,
} from './topic-queries.ts'
import { topicAudience } from './visibility/topic-audience.ts'

export { listWronglyCounted } from './topic-queries.ts'

/** Maximum number of topics per project, so that one request cannot block others for long. */
export const maxTopics = 500

/**
 * Replaces a project's own topics with those that have these names or aliases. Creates topics for unknown names if the
 * settings let the caller do so. Runs in the caller's transaction. Throws `invalid({ topics })` for a name that cannot
 * be a topic.
 */
export async function setProjectTopics(
  deps: Deps,
  caller: Visitor,
  project: Project,
  names: readonly string[],
): Promise<void> {
  const wanted = await topicsNamed(deps, project.organizationId, names, caller)
  const assignments = await listAssignments(deps.db, [project.id])
  const idsOf = (kind: 'own' | 'inherited') => assignments.flatMap((row) => (row[kind] ? [row.topicId] : []))
  const own = new Set(idsOf('own'))
  const inherited = new Set(idsOf('inherited'))
  const added = wanted.filter((id) => !own.has(id))
  const removed = [...own].filter((id) => !wanted.includes(id))
  // Inherited topics count whether or not they are also the project's own.
  const counted = (ids: readonly number[]) => ids.filter((id) => !inherited.has(id))
  const nonPrivate = project.visibility === 'private' ? 0 : 1
  if (removed.length > 0) {
    await removeFromAll(deps.db, [project.id], removed)
    await adjustCounts(deps.db, counted(removed), -1, -nonPrivate)
  }
  if (added.length > 0) {
    await assignToAll(deps.db, [project.id], added)
    await adjustCounts(deps.db, counted(added), 1, nonPrivate)
  }
}

/** Splits the names at commas, trims them, and drops blanks and names that differ only by case. */
export function readTopicNames(names: readonly string[]): string[] {
  const byKey = new Map<string, string>()
  for (const name of names.flatMap((text) => text.split(','))) {
    const trimmed = name.trim()
    if (trimmed !== '' && !byKey.has(trimmed.toLowerCase())) byKey.set(trimmed.toLowerCase(), trimmed)
  }
  return [...byKey.values()]
}

/**
 * Returns the topics with these names or aliases, locked, in the organization. Creates topics for unknown names if the
 * caller may, and throws `invalid({ topics })` otherwise.
 */
export async function topicsNamed(
  deps: Deps,
  organizationId: number,
  texts: readonly string[],
  caller: Visitor,
): Promise<number[]> {
  const names = readTopicNames(texts)
  if (names.length > maxTopics) throw invalid({ topics: [`are too many (maximum is ${maxTopics})`] })
  assertTopicNames(names)
  const keys = names.map((name) => name.toLowerCase())
  let found = await lockTopicsNamed(deps.db, organizationId, keys)
  // A concurrent request may create or merge some of the topics, so look up again those that were not found.
  for (let attempt = 0; found.length < names.length; attempt++) {
    const known = new Set(found.map((topic) => topic.nameKey))
    const fresh = names.filter((name) => !known.has(name.toLowerCase())).sort()
    if (attempt === 3) throw unavailable('topics', 'their names keep changing')
    if (!mayCreateTopics(deps, caller)) throw await unknownTopics(deps, organizationId, fresh, caller)
    for (const name of fresh) await createNamed(deps, organizationId, name)
    found = await lockTopicsNamed(deps.db, organizationId, keys)
  }
  return [...new Set(found.map((topic) => topic.topicId))]
}

/** Returns whether the caller may create topics by assigning them. */
export function mayCreateTopics({ settings }: Deps, caller: Visitor): boolean {
  return settings.topicCreation === 'anyone' || caller.isAdmin
}

/** Throws `invalid({ topics })` for a name that cannot be a topic. */
export function assertTopicNames(names: readonly string[]): void {
  for (const name of names) {
    const [problem] = nameProblems(name)
    if (problem) throw invalid({ topics: [`${shorten(name)} ${problem}`] })
  }
}

async function createNamed(deps: Deps, organizationId: number, name: string): Promise<void> {
  const now = deps.now()
  const topic = await insertTopic(deps.db, organizationId, {
    draft: { name, title: name, description: null },
    avatar: null,
    now,
  })
  // If a concurrent request made the name an alias, the new topic is redundant.
  if (!topic) return
  if (await claimName(deps.db, topic, { name, kind: 'own', now }))
    await recordTopicEvents(deps, 'topic_created', [topic])
  else await deleteTopic(deps.db, topic.id)
}

/** Maximum number of unknown names for which similar topics are suggested. */
const maxSuggested = 5

async function unknownTopics(
  deps: Deps,
  organizationId: number,
  names: readonly string[],
  caller: Visitor,
): Promise<Failure> {
  const suggested = { organizationId, audience: topicAudience(deps, caller) }
  const sentences: string[] = []
  for (const [index, name] of names.entries()) {
    const nearest = index < maxSuggested ? await listNearest(deps.db, suggested, name, 3) : []
    const hint = nearest.length > 0 ? `; the nearest are ${nearest.join(', ')}` : ''
    sentences.push(`${shorten(name)} does not exist, and only administrators create topics${hint}`)
  }
  return invalid({ topics: sentences })
}

function shorten(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name
}

/** Names of a project's topics. */
export interface ProjectTopicNames {
  own: string[]
  /** Names of topics of its groups, of which some may also be its own. */
  inherited: string[]
}

/** Returns topic names by project id, in byte order (upper case before lower case). */
export async function listTopicNames(db: Db, projectIds: readonly number[]): Promise<Map<number, ProjectTopicNames>> {
  const names = new Map<number, ProjectTopicNames>(projectIds.map((id) => [id, { own: [], inherited: [] }]))
  for (const { projectId, name, own, inherited } of await listAssignedNames(db, projectIds)) {
    const lists = names.get(projectId)
    if (own) lists?.own.push(name)
    if (inherited) lists?.inherited.push(name)
  }
  for (const lists of names.values()) {
    lists.own.sort()
    lists.inherited.sort()
  }
  return names
}

/** Updates the topics' numbers of non-private projects. Runs in the transaction that changes the visibility. */
export async function topicVisibilityChanged(
  deps: Deps,
  project: Project,
  from: Visibility,
  to: Visibility,
): Promise<void> {
  const change = Number(to !== 'private') - Number(from !== 'private')
  if (change === 0) return
  await adjustCounts(deps.db, await listAssignedTopicIds(deps.db, [project.id]), 0, change)
}

/** Returns the topics of projects that are about to be deleted, to be passed to `recount` in the same transaction. */
export function topicsOfProjects(deps: Deps, projectIds: readonly number[]): Promise<number[]> {
  return listAssignedTopicIds(deps.db, projectIds)
}

/** Counts the projects of these topics again. */
export async function recount(deps: Deps, topicIds: readonly number[]): Promise<void> {
  if (topicIds.length === 0) return
  // Lock the rows in a separate statement first: an update that waits for a lock counts the rows as they were before
  // the wait.
  await lockTopics(deps.db, topicIds)
  await recountTopics(deps.db, topicIds)
}
