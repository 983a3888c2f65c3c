import type { Deps } from '../deps.ts'
import { clearAvatars } from './topic-queries.ts'

/** Removes avatars whose objects are lost. */
export async function dropAvatars({ db }: Deps, topicIds: readonly number[]): Promise<void> {
  await clearAvatars(db, topicIds)
}
