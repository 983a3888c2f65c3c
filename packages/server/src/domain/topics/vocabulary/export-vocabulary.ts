import { setImmediate } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import type { Visitor } from '../../projects/visible.ts'
import { organizationOf } from '../topics.ts'
import { topicAudience } from '../visibility/topic-audience.ts'
import { compareKeys, frames, type VocabularyFormat, writeTopic } from './vocabulary.ts'
import { listStoredAfter } from './vocabulary-queries.ts'

const sliceSize = 500

/** Returns all topics of an organization that the caller can read, ordered by name. The output is deterministic. */
export async function exportVocabulary(
  deps: Deps,
  caller: Visitor,
  organizationId: number | undefined,
  format: VocabularyFormat,
): Promise<Buffer> {
  const exported = { organizationId: await organizationOf(deps, organizationId), audience: topicAudience(deps, caller) }
  const pieces: { key: string; text: string }[] = []
  for (let after = 0; ; ) {
    const topics = await listStoredAfter(deps.db, exported, after, sliceSize)
    for (const topic of topics) pieces.push({ key: topic.name.toLowerCase(), text: writeTopic(topic, format) })
    after = topics.at(-1)?.id ?? 0
    if (topics.length < sliceSize) break
    await setImmediate()
  }
  const { head, empty, between, tail } = frames[format]
  if (pieces.length === 0) return Buffer.from(empty)
  pieces.sort((a, b) => compareKeys(a.key, b.key))
  return Buffer.from(`${head}${pieces.map(({ text }) => text).join(between)}${tail}`)
}
