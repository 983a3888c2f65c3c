import type { Db } from '../../db/db.ts'
import { invalid } from '../../platform/failure.ts'
import type { Visibility } from '../access/roles.ts'
import type { Deps } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import {
  adjustCounts,
  deleteAssignments,
  insertAssignments,
  insertTopic,
  listAssignedNames,
  listAssignedTopicIds,
  lockTopics,
  lockTopicsByName,
  recountTopics,
} from './queries.ts'
import { nameProblems } from './topic.ts'

/** Far more than anybody reads; without an end one request would keep all others waiting. */
const maxTopics = 500

/**
 * Replaces the topics of a project by these names; names nobody has yet become topics. Runs inside the caller's
 * transaction. Throws `invalid({ topics })` when a name cannot be a topic.
 */
export async function setProjectTopics(deps: Deps, project: Project, names: readonly string[]): Promise<void> {
  const wanted = await topicsNamed(deps, project.organizationId, names)
  const assigned = new Set(await listAssignedTopicIds(deps.db, [project.id]))
  const added = wanted.filter((id) => !assigned.has(id))
  const removed = [...assigned].filter((id) => !wanted.includes(id))
  const nonPrivate = project.visibility === 'private' ? 0 : 1
  if (removed.length > 0) {
    await deleteAssignments(deps.db, project.id, removed)
    await adjustCounts(deps.db, removed, -1, -nonPrivate)
  }
  if (added.length > 0) {
    await insertAssignments(deps.db, project.id, added)
    await adjustCounts(deps.db, added, 1, nonPrivate)
  }
}

/** The names a client sent, cut at commas, trimmed, without blanks, and one of those that differ only by case. */
function readTopicNames(names: readonly string[]): string[] {
  const byKey = new Map<string, string>()
  for (const name of names.flatMap((text) => text.split(','))) {
    const trimmed = name.trim()
    if (trimmed !== '' && !byKey.has(trimmed.toLowerCase())) byKey.set(trimmed.toLowerCase(), trimmed)
  }
  return [...byKey.values()]
}

async function topicsNamed(deps: Deps, organizationId: number, texts: readonly string[]): Promise<number[]> {
  const names = readTopicNames(texts)
  if (names.length > maxTopics) throw invalid({ topics: [`are too many (maximum is ${maxTopics})`] })
  for (const name of names) {
    const [problem] = nameProblems(name)
    if (problem) throw invalid({ topics: [`${shorten(name)} ${problem}`] })
  }
  const keys = names.map((name) => name.toLowerCase())
  let found = await lockTopicsByName(deps.db, organizationId, keys)
  const known = new Set(found.map((topic) => topic.nameKey))
  const fresh = names.filter((name) => !known.has(name.toLowerCase())).sort()
  for (const name of fresh) {
    const draft = { name, title: name, description: null }
    await insertTopic(deps.db, organizationId, draft, null, deps.now())
  }
  // Again, and not the inserted rows: another request may have created some of them meanwhile.
  if (fresh.length > 0) found = await lockTopicsByName(deps.db, organizationId, keys)
  return found.map((topic) => topic.id)
}

function shorten(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name
}

/** Names by project id, in the order of their bytes (upper case before lower). */
export async function listTopicNames(db: Db, projectIds: readonly number[]): Promise<Map<number, string[]>> {
  const names = new Map<number, string[]>(projectIds.map((id) => [id, []]))
  for (const { projectId, name } of await listAssignedNames(db, projectIds)) names.get(projectId)?.push(name)
  for (const list of names.values()) list.sort()
  return names
}

/** Keeps the hidden counter right; inside the transaction that changes the visibility. */
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

/** The topics of projects that are about to go; give them to `recount` once they are gone, in the same transaction. */
export function topicsOfProjects(deps: Deps, projectIds: readonly number[]): Promise<number[]> {
  return listAssignedTopicIds(deps.db, projectIds)
}

export async function recount(deps: Deps, topicIds: readonly number[]): Promise<void> {
  if (topicIds.length === 0) return
  // First, in a statement of its own: an update that has waited for the rows counts what was there before the wait.
  await lockTopics(deps.db, topicIds)
  await recountTopics(deps.db, topicIds)
}
