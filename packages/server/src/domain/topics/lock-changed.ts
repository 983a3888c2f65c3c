import type { Deps } from '../deps.ts'
import { assertUnmirrored } from '../import-sources/mirrors.ts'
import type { Topic } from './topic.ts'
import { lockTopics } from './topic-queries.ts'

/** Locks topics that are to be changed. Throws when one is a mirror that the sender of the request may not change. */
export async function lockChangedTopics(deps: Deps, ids: readonly number[]): Promise<Topic[]> {
  await assertUnmirrored(deps, 'topic', ids)
  return lockTopics(deps.db, ids)
}
