import { invalid, notFound, refused } from '../../platform/failure.ts'
import { type Deps, transaction } from '../deps.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import { recordTopicAudit } from './audited-topic.ts'
import { lockChangedTopics } from './lock-changed.ts'
import { nameProblems, nameTaken } from './topic.ts'
import { type Alias, claimName, countAliases, deleteAlias, listAliases } from './topic-name-queries.ts'
import { getTopic } from './topics.ts'

export type { Alias } from './topic-name-queries.ts'

/** Maximum number of aliases per topic, so that one topic cannot claim every word. */
export const maxAliases = 1000

export async function findAliases(deps: Deps, topicId: number, page: PageRequest): Promise<Page<Alias>> {
  await getTopic(deps, topicId)
  const [rows, counted] = await Promise.all([
    listAliases(deps.db, topicId, { limit: page.perPage + 1, offset: page.offset }),
    countAliases(deps.db, topicId),
  ])
  return pageOf(page, rows, counted)
}

/** Adds an alias, which resolves to the topic in assignments, in searches and when projects are found by topic. */
export function addAlias(deps: Deps, topicId: number, name: string): Promise<Alias> {
  return transaction(deps, async (deps) => {
    const [topic] = await lockChangedTopics(deps, [topicId])
    if (!topic) throw notFound()
    const problems = nameProblems(name)
    if (problems.length > 0) throw invalid({ name: problems })
    if ((await countAliases(deps.db, topicId)) >= maxAliases) {
      throw refused(`a topic may have ${maxAliases} aliases`)
    }
    const alias = await claimName(deps.db, topic, { name, kind: 'alias', now: deps.now() })
    if (!alias) throw nameTaken()
    await recordTopicAudit(deps, 'topic_updated', topic, { alias: { from: null, to: name } })
    return alias
  })
}

export async function removeAlias(deps: Deps, topicId: number, name: string): Promise<void> {
  await transaction(deps, async (deps) => {
    const [topic] = await lockChangedTopics(deps, [topicId])
    if (!topic || !(await deleteAlias(deps.db, topicId, name.toLowerCase()))) throw notFound()
    await recordTopicAudit(deps, 'topic_updated', topic, { alias: { from: name, to: null } })
  })
}
