import { isUniqueViolation } from '../../../db/violations.ts'
import { blocked, conflict, notFound } from '../../../platform/failure.ts'
import type { Caller } from '../../access/callers.ts'
import { type Deps, transaction } from '../../deps.ts'
import { markForDeletion } from '../../files/pending-deletions.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import { recordTopicAudit } from '../audited-topic.ts'
import { inheritTopicsIn } from '../group-topics/inherited-topics.ts'
import { lockChangedTopics } from '../lock-changed.ts'
import type { Topic } from '../topic.ts'
import { recordTopicEvents } from '../topic-events.ts'
import { claimName } from '../topic-name-queries.ts'
import { findTopic, recountTopics } from '../topic-queries.ts'
import { organizationOf } from '../topics.ts'
import {
  clearMergedAvatars,
  countMerges,
  dropUndoData,
  findMerge,
  lockMerge,
  lockMergesBefore,
  type Merge,
  markForgotten,
  markUndone,
  newestMerges,
} from './merge-queries.ts'
import {
  findMergeOf,
  listLaterMerges,
  listLostGroups,
  listLostNames,
  listLostProjects,
  restoreAssignments,
  restoreGroupTopics,
  restoreNames,
  restoreTopic,
} from './undo-queries.ts'

export type { Actor, Merge } from './merge-queries.ts'

/** Returns a page of the journal, newest first. */
export async function findMerges(
  deps: Deps,
  organizationId: number | undefined,
  page: PageRequest,
): Promise<Page<Merge>> {
  const id = await organizationOf(deps, organizationId)
  const [rows, counted] = await Promise.all([newestMerges(deps.db, id, page), countMerges(deps.db, id)])
  return pageOf(page, rows, counted)
}

/** Returns the time until which a merge can be undone, or `null` when it cannot be undone. */
export function undoableUntil({ settings }: Deps, merge: Merge): string | null {
  if (merge.undoneAt !== null || merge.undoExpiredAt !== null) return null
  return new Date(Date.parse(merge.mergedAt) + settings.topicUndoMs).toISOString()
}

/** Restored topic, and what was not restored because it has changed since the merge. */
export interface Undone {
  topic: Topic
  leftOut: string[]
}

/**
 * Restores the source with its id, avatar, aliases and projects. Throws `conflict` with a list of later changes. With
 * `partial`, restores as much as possible, provided that no other topic has taken the names.
 */
export function undoMerge(deps: Deps, caller: Caller, id: number, options: { partial: boolean }): Promise<Undone> {
  const sentence = `merge ${id} cannot be undone`
  const undone = transaction(deps, async (deps) => {
    await lockMerge(deps.db, id)
    const merge = await findMerge(deps.db, id)
    if (!merge) throw notFound()
    if (merge.undoneAt !== null) throw conflict(`merge ${id} has been undone already`)
    if (merge.undoExpiredAt !== null) throw conflict(`merge ${id} is too old: what an undo needs is no longer kept`)

    const [target] = await lockChangedTopics(deps, [merge.target.id])
    const later = await laterMerge(deps, merge)
    if (later) throw blocked(sentence, [later])
    const lostNames = await namesInTheWay(deps, merge)
    const changes = await changesSince(deps, merge, target !== undefined)
    const reasons = options.partial ? lostNames : [...lostNames, ...changes]
    if (reasons.length > 0) throw blocked(sentence, reasons)

    await restoreTopic(deps.db, merge)
    await restoreNames(deps.db, merge)
    const { source, organizationId } = merge
    const own = await claimName(
      deps.db,
      { id: source.id, organizationId },
      { name: source.name, kind: 'own', now: source.createdAt },
    )
    if (!own) throw blocked(sentence, [givenAway])
    const laterIds = await listLaterMerges(deps.db, merge)
    await restoreAssignments(deps.db, merge, target !== undefined, laterIds)
    await inheritTopicsIn(deps, await restoreGroupTopics(deps.db, merge, target !== undefined, laterIds))
    await recountTopics(deps.db, [source.id, merge.target.id])
    await markUndone(deps.db, id, caller.user.id, deps.now())
    await dropUndoData(deps.db, [id])
    const topic = await findTopic(deps.db, source.id)
    if (!topic) throw notFound()
    await recordTopicEvents(deps, 'topic_merge_undone', target ? [target] : [], topic)
    await recordTopicEvents(deps, 'topic_created', [topic])
    await recordTopicAudit(deps, 'topic_merge_undone', topic)
    return { topic, leftOut: changes }
  })
  return undone.catch((error: unknown) => {
    // A concurrent request took one of the names.
    throw isUniqueViolation(error) ? blocked(sentence, [givenAway]) : error
  })
}

/** Returns an error when the target itself was merged later; that merge must be undone first. */
async function laterMerge(deps: Deps, { target }: Merge): Promise<string | undefined> {
  const later = await findMergeOf(deps.db, target.id)
  return (
    later &&
    `topic ${quote(target.name)} was merged into ${quote(later.targetName)} since: undo merge ${later.id} first`
  )
}

async function namesInTheWay(deps: Deps, merge: Merge): Promise<string[]> {
  const lost = await listLostNames(deps.db, merge)
  return lost.map(({ name, topicId, topicName }) =>
    name.toLowerCase() === topicName.toLowerCase()
      ? `the name ${quote(name)} has been given to topic ${topicId} since`
      : `the name ${quote(name)} is an alias of topic ${topicId} (${quote(topicName)}) since`,
  )
}

/** Maximum number of projects that an error lists. */
const maxNamed = 100

async function changesSince(deps: Deps, merge: Merge, targetIsThere: boolean): Promise<string[]> {
  const changeOf = (noun: string, { id, isGone }: { id: number; isGone: boolean }) =>
    isGone ? `${noun} ${id} was deleted since` : `${noun} ${id} does not carry ${quote(merge.target.name)} any more`
  const projects = await listLostProjects(deps.db, merge, targetIsThere, maxNamed + 1)
  const groups = await listLostGroups(deps.db, merge, targetIsThere, maxNamed + 1)
  const changes = projects.slice(0, maxNamed).map((lost) => changeOf('project', lost))
  if (projects.length > maxNamed) changes.push('and more projects')
  changes.push(...groups.slice(0, maxNamed).map((lost) => changeOf('group', lost)))
  if (groups.length > maxNamed) changes.push('and more groups')
  return targetIsThere ? changes : [`topic ${quote(merge.target.name)} was deleted since`, ...changes]
}

const givenAway = 'one of its names was given away at the same time'
const quote = (name: string) => `"${name}"`

const batchSize = 100

/** Deletes the data of merges whose time for undoing has passed, including their avatars. */
export async function removeOldMerges(deps: Deps): Promise<void> {
  const before = new Date(Date.parse(deps.now()) - deps.settings.topicUndoMs).toISOString()
  for (let forgotten = batchSize; forgotten === batchSize; ) {
    forgotten = await transaction(deps, async (deps) => {
      const merges = await lockMergesBefore(deps.db, before, batchSize)
      const ids = merges.map((merge) => merge.id)
      await markForgotten(deps.db, ids, deps.now())
      await dropUndoData(deps.db, ids)
      await markForDeletion(
        deps,
        merges.flatMap(({ avatarKey }) => avatarKey ?? []),
      )
      return merges.length
    })
  }
}

/** Removes avatars that were kept for the undo of merges, and whose objects are lost. */
export async function dropMergedAvatars({ db }: Deps, mergeIds: readonly number[]): Promise<void> {
  await clearMergedAvatars(db, mergeIds)
}
