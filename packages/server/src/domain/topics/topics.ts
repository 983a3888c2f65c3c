import { openCache, perDatabase } from '../../db/cache.ts'
import type { Changes } from '../../db/db.ts'
import { isUniqueViolation } from '../../db/violations.ts'
import { notFound } from '../../platform/failure.ts'
import type { ReceivedFile } from '../../platform/object-store/objects.ts'
import { changesBetween } from '../audit/audit-event.ts'
import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { readAvatar } from '../files/avatar-file.ts'
import { deleteMarkedObjectsSoon, markForDeletion } from '../files/pending-deletions.ts'
import {
  defaultOrganizationId,
  getOrganization,
  hasHiddenOrganizations,
  readOrganization,
} from '../namespaces/organizations.ts'
import { maxCountedRows, type Page, type PageRequest, pageOf } from '../page.ts'
import type { Visitor } from '../projects/visible.ts'
import { assertUnmodified } from '../unmodified.ts'
import { recordTopicAudit } from './audited-topic.ts'
import { lockChangedTopics } from './lock-changed.ts'
import { readTopicSearch } from './search.ts'
import { assertTopicDraft, nameTaken, type Topic, type TopicDraft } from './topic.ts'
import { recordTopicEvents } from './topic-events.ts'
import { changeOwnName, claimName, deleteAlias } from './topic-name-queries.ts'
import { listPageIds } from './topic-pages.ts'
import {
  countTopics,
  deleteTopic as deleteTopicRow,
  findTopic,
  insertTopic,
  listTopicIds,
  listTopicsById,
  updateTopic as updateTopicRow,
} from './topic-queries.ts'
import { isTopicVisible, withReadableCounts } from './visibility/readable-counts.ts'
import { audienceTables, topicAudience } from './visibility/topic-audience.ts'

export interface TopicQuery {
  organizationId?: number | undefined
  search?: string | undefined
  /** Name or alias, ignoring case. */
  name?: string | undefined
  withoutProjects?: boolean | undefined
}

/**
 * Returns the ids of a page of the topics that the caller can read. The route first checks access to the organization
 * (`assertOrganizationReadable`).
 */
export async function findTopics(
  deps: RootDeps,
  caller: Visitor | null,
  query: TopicQuery,
  page: PageRequest,
): Promise<Page<number>> {
  const audience = topicAudience(deps, caller)
  const filter = {
    organizationId: await organizationOf(deps, query.organizationId),
    search: readTopicSearch(query.search ?? ''),
    nameKey: query.name?.toLowerCase(),
    withoutProjects: query.withoutProjects ?? false,
    audience,
  }
  const caches = audience ? audienceCaches : sharedCaches
  const key = JSON.stringify(filter)
  if (!filter.search) {
    const [ids, counted] = await Promise.all([
      listPageIds(deps, filter, page),
      caches(deps.db).counts.getShared(key, () => countTopics(deps.db, filter)),
    ])
    return pageOf(page, ids, counted)
  }
  const first = { perPage: maxCountedRows, offset: 0 }
  const ids = await caches(deps.db).searches.getShared(key, () => listTopicIds(deps.db, filter, first))
  const end = page.offset + page.perPage + 1
  const isWithin = ids.length <= maxCountedRows || end <= ids.length
  const found = isWithin ? ids.slice(page.offset, end) : await listTopicIds(deps.db, filter, page)
  return pageOf(page, found, ids.length)
}

/** Returns topics in the order of their ids, each with the number of its projects that the caller can read. */
export async function readTopics(deps: RootDeps, caller: Visitor | null, ids: readonly number[]): Promise<Topic[]> {
  const topics = new Map((await listTopicsById(deps.db, ids)).map((topic) => [topic.id, topic]))
  const found = ids.flatMap((id) => topics.get(id) ?? [])
  return withReadableCounts(deps, topicAudience(deps, caller), found)
}

/** Enough for four hundred searches that find a thousand topics each. */
const maxCachedIds = 500_000
/** Weight of a search without its ids, which take 8 bytes each. */
const overheadIds = 50

/**
 * Caches the totals of lists and the results of searches. Counting is slower than reading a page, and a search finds
 * and sorts all topics for each of its pages.
 */
const openCaches = (changes: Changes, tables: readonly string[]) => ({
  counts: openCache<number>(changes, tables, 1000),
  searches: openCache<number[]>(changes, tables, maxCachedIds, (ids) => ids.length + overheadIds),
})
const sharedCaches = perDatabase((changes) => openCaches(changes, ['topics', 'topic_names']))
/** Their keys contain the audience, and so the user. */
const audienceCaches = perDatabase((changes) => openCaches(changes, ['topics', 'topic_names', ...audienceTables]))

export async function getTopic(deps: Deps, id: number): Promise<Topic> {
  const topic = await findTopic(deps.db, id)
  if (!topic) throw notFound()
  return topic
}

/** Throws when the topic is hidden from the caller, or belongs to an organization that they may not read. */
export async function assertTopicReadable(deps: RootDeps, visitor: Visitor | null, id: number): Promise<void> {
  if (visitor?.isAdmin) return
  const audience = topicAudience(deps, visitor)
  const mayBeClosed = await hasHiddenOrganizations(deps)
  if (!audience && !mayBeClosed) return
  const topic = await findTopic(deps.db, id)
  if (!topic) return
  if (mayBeClosed) await readOrganization(deps, visitor, topic.organizationId)
  if (!(await isTopicVisible(deps, audience, topic))) throw notFound()
}

export interface NewTopic extends TopicDraft {
  avatar?: ReceivedFile | undefined
  organizationId?: number | undefined
}

export async function createTopic(deps: Deps, fresh: NewTopic): Promise<Topic> {
  const organizationId = await organizationOf(deps, fresh.organizationId)
  assertTopicDraft(fresh, { blankTitle: 'refused' })
  const avatar = fresh.avatar ? readAvatar(fresh.avatar) : null
  const topic = await transaction(deps, async (deps) => {
    const now = deps.now()
    const topic = await insertTopic(deps.db, organizationId, { draft: fresh, avatar, now })
    if (!topic || !(await claimName(deps.db, topic, { name: topic.name, kind: 'own', now }))) throw nameTaken()
    await recordTopicEvents(deps, 'topic_created', [topic])
    await recordTopicAudit(deps, 'topic_created', topic)
    return topic
  })
  if (fresh.avatar) fresh.avatar.kept = true
  return topic
}

export interface TopicChange {
  name?: string | undefined
  title?: string | undefined
  description?: string | null | undefined
  /** New avatar, or `null` to remove the current one. */
  avatar?: ReceivedFile | null | undefined
}

export async function changeTopic(deps: Deps, id: number, change: TopicChange): Promise<Topic> {
  const after = await transaction(deps, async (deps) => {
    const [before] = await lockChangedTopics(deps, [id])
    if (!before) throw notFound()
    const changed = { ...before, ...given(change) }
    // A blank title is accepted here, as in GitLab.
    assertTopicDraft(given(change), { blankTitle: 'allowed' })
    const avatar = change.avatar === undefined ? before.avatar : change.avatar && readAvatar(change.avatar)
    if (Object.values(change).every((value) => value === undefined)) return before
    if (changed.name !== before.name) {
      // If the new name is an alias of this topic, the alias is replaced.
      await deleteAlias(deps.db, id, changed.name.toLowerCase())
      await changeOwnName(deps.db, id, changed.name)
    }
    const after = await updateTopicRow(deps.db, id, { draft: changed, avatar, now: deps.now() })
    if (!after) throw notFound()
    const isReplaced = before.avatar && before.avatar.objectKey !== avatar?.objectKey
    if (isReplaced) await markForDeletion(deps, keysOf(before))
    await recordTopicEvents(deps, 'topic_changed', [after])
    const changes = changesBetween(before, after, { name: 'name', title: 'title', description: 'description' })
    await recordTopicAudit(deps, 'topic_updated', after, changes)
    return after
  }).catch((error: unknown) => {
    throw isUniqueViolation(error) ? nameTaken() : error
  })
  if (change.avatar) change.avatar.kept = true
  await deleteMarkedObjectsSoon(deps)
  return after
}

function keysOf({ avatar }: Topic): string[] {
  return avatar ? [avatar.objectKey] : []
}

function given({ name, title, description }: TopicChange): Partial<TopicDraft> {
  return {
    ...(name !== undefined && { name }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  }
}

/** Deletes a topic, unless it was changed after `unmodifiedSince` (in ms). */
export async function deleteTopic(deps: Deps, id: number, unmodifiedSince?: number): Promise<void> {
  await transaction(deps, async (deps) => {
    const [topic] = await lockChangedTopics(deps, [id])
    if (!topic) throw notFound()
    assertUnmodified(topic, unmodifiedSince)
    await deleteTopicRow(deps.db, id)
    await markForDeletion(deps, keysOf(topic))
    await recordTopicEvents(deps, 'topic_deleted', [topic])
    await recordTopicAudit(deps, 'topic_destroyed', topic)
  })
  await deleteMarkedObjectsSoon(deps)
}

export async function organizationOf(deps: Deps, id: number = defaultOrganizationId): Promise<number> {
  if (id !== defaultOrganizationId) await getOrganization(deps, id)
  return id
}
