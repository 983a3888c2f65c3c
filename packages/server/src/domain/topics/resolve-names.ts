import type { Deps } from '../deps.ts'
import type { Visitor } from '../projects/visible.ts'
import { assertTopicNames, mayCreateTopics, readTopicNames, topicsNamed } from './assignment.ts'
import { lockTopicsNamed } from './topic-name-queries.ts'

export interface ResolvedTopics {
  ids: number[]
  /** Names of topics that were, or in a dry run would be, created. */
  created: string[]
}

/**
 * Returns the topics with these names or aliases, and creates missing ones, which a dry run only lists. Throws
 * `invalid({ topics })` for a name that cannot be a topic, or when the caller may not create topics.
 */
export async function resolveTopicNames(
  deps: Deps,
  caller: Visitor,
  { organizationId, texts, dryRun }: { organizationId: number; texts: readonly string[]; dryRun: boolean },
): Promise<ResolvedTopics> {
  const names = readTopicNames(texts)
  const created = await unknownNames(deps, organizationId, names)
  // A dry run reads the known names only, after it has refused those that could not be created.
  if (!dryRun || !mayCreateTopics(deps, caller)) await topicsNamed(deps, organizationId, names, caller)
  return { ids: await topicIdsNamed(deps, organizationId, names), created }
}

/** Returns the topics with these names or aliases. Ignores unknown names. */
export async function topicIdsNamed(deps: Deps, organizationId: number, names: readonly string[]): Promise<number[]> {
  const keys = names.map((name) => name.toLowerCase())
  return [...new Set((await lockTopicsNamed(deps.db, organizationId, keys)).map(({ topicId }) => topicId))]
}

async function unknownNames(deps: Deps, organizationId: number, names: readonly string[]): Promise<string[]> {
  const keys = names.map((name) => name.toLowerCase())
  const known = new Set((await lockTopicsNamed(deps.db, organizationId, keys)).map(({ nameKey }) => nameKey))
  const unknown = names.filter((name) => !known.has(name.toLowerCase()))
  assertTopicNames(unknown)
  return unknown
}
