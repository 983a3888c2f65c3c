import { openCache, perDatabase } from '../../db/cache.ts'
import { isUniqueViolation } from '../../db/violations.ts'
import { Failure, notFound, refused } from '../../platform/failure.ts'
import type { ReceivedFile } from '../../platform/objects/objects.ts'
import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { doomObjects, removeDoomedSoon } from '../files/doomed.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import { readAvatar } from './avatars.ts'
import {
  countTopics,
  deleteTopic as deleteTopicRow,
  findTopic,
  insertTopic,
  isOrganization,
  listTopics,
  lockTopics,
  moveAssignments,
  recountTopics,
  updateTopic as updateTopicRow,
} from './queries.ts'
import { readTopicSearch } from './search.ts'
import { assertTopicDraft, nameTaken, type Topic, type TopicDraft } from './topic.ts'

const defaultOrganizationId = 1

export interface TopicQuery {
  organizationId?: number | undefined
  search?: string | undefined
  withoutProjects?: boolean | undefined
}

export async function findTopics(deps: RootDeps, query: TopicQuery, page: PageRequest): Promise<Page<Topic>> {
  const filter = {
    organizationId: await organizationOf(deps, query.organizationId),
    search: readTopicSearch(query.search ?? ''),
    withoutProjects: query.withoutProjects ?? false,
  }
  const [rows, counted] = await Promise.all([
    listTopics(deps.db, filter, page),
    counts(deps.db).get(JSON.stringify(filter), () => countTopics(deps.db, filter)),
  ])
  return pageOf(page, rows, counted)
}

/** Counting takes longer than a page, and is the same for all pages of a list. */
const counts = perDatabase((changes) => openCache<number>(changes, ['topics'], 1000))

export async function getTopic(deps: Deps, id: number): Promise<Topic> {
  const topic = await findTopic(deps.db, id)
  if (!topic) throw notFound()
  return topic
}

export interface NewTopic extends TopicDraft {
  avatar?: ReceivedFile | undefined
  organizationId?: number | undefined
}

export async function createTopic(deps: Deps, fresh: NewTopic): Promise<Topic> {
  const organizationId = await organizationOf(deps, fresh.organizationId)
  assertTopicDraft(fresh, { blankTitle: 'refused' })
  const avatar = fresh.avatar ? readAvatar(fresh.avatar) : null
  const topic = await insertTopic(deps.db, organizationId, fresh, avatar, deps.now())
  if (!topic) throw nameTaken()
  if (fresh.avatar) fresh.avatar.kept = true
  return topic
}

export interface TopicChange {
  name?: string | undefined
  title?: string | undefined
  description?: string | null | undefined
  /** A new one, or `null` to remove what is there. */
  avatar?: ReceivedFile | null | undefined
}

export async function changeTopic(deps: Deps, id: number, change: TopicChange): Promise<Topic> {
  const after = await transaction(deps, async (deps) => {
    const [before] = await lockTopics(deps.db, [id])
    if (!before) throw notFound()
    const changed = { ...before, ...given(change) }
    // GitLab stores a blank title here, and so do we.
    assertTopicDraft(given(change), { blankTitle: 'allowed' })
    const avatar = change.avatar === undefined ? before.avatar : change.avatar && readAvatar(change.avatar)
    if (Object.values(change).every((value) => value === undefined)) return before
    const after = await updateTopicRow(deps.db, id, changed, avatar, deps.now())
    if (!after) throw notFound()
    const isReplaced = before.avatar && before.avatar.objectKey !== avatar?.objectKey
    if (isReplaced) await doomObjects(deps, keysOf(before))
    return after
  }).catch((error: unknown) => {
    throw isUniqueViolation(error) ? nameTaken() : error
  })
  if (change.avatar) change.avatar.kept = true
  await removeDoomedSoon(deps)
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

/** `unmodifiedSince` (ms): a topic that changed after that is not deleted. */
export async function deleteTopic(deps: Deps, id: number, unmodifiedSince?: number): Promise<void> {
  await transaction(deps, async (deps) => {
    const [topic] = await lockTopics(deps.db, [id])
    if (!topic) throw notFound()
    // HTTP dates have no fractions, so the change may be up to a second younger.
    if (unmodifiedSince !== undefined && Math.floor(Date.parse(topic.updatedAt) / 1000) * 1000 > unmodifiedSince) {
      throw new Failure({ kind: 'precondition-failed' })
    }
    await deleteTopicRow(deps.db, id)
    await doomObjects(deps, keysOf(topic))
  })
  await removeDoomedSoon(deps)
}

/** Moves every assignment of the source to the target, deletes the source and returns the target as it then is. */
export async function mergeTopics(deps: Deps, sourceId: number, targetId: number): Promise<Topic> {
  const merged = await transaction(deps, async (deps) => {
    const topics = await lockTopics(deps.db, [sourceId, targetId])
    const source = topics.find((topic) => topic.id === sourceId)
    const target = topics.find((topic) => topic.id === targetId)
    if (!source || !target) throw notFound()
    if (source.organizationId !== target.organizationId) {
      throw refused('The source topic and the target topic must belong to the same organization.')
    }
    if (source.id === target.id) throw refused('The source topic and the target topic are identical.')

    await moveAssignments(deps.db, sourceId, targetId)
    await deleteTopicRow(deps.db, sourceId)
    await doomObjects(deps, keysOf(source))
    await recountTopics(deps.db, [targetId])
    return (await findTopic(deps.db, targetId)) ?? target
  })
  await removeDoomedSoon(deps)
  return merged
}

async function organizationOf(deps: Deps, id: number = defaultOrganizationId): Promise<number> {
  if (id !== defaultOrganizationId && !(await isOrganization(deps.db, id))) throw notFound('Organization')
  return id
}
