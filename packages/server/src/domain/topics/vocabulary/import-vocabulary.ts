import { conflict, importRejected } from '../../../platform/failure.ts'
import type { ReceivedFile } from '../../../platform/object-store/objects.ts'
import { readWhole } from '../../../platform/object-store/read-whole.ts'
import { instanceEntity } from '../../audit/audit-event.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import { type Deps, transaction } from '../../deps.ts'
import { deleteMarkedObjectsSoon, markForDeletion } from '../../files/pending-deletions.ts'
import { assertUnmirrored } from '../../import-sources/mirrors.ts'
import { recordTopicEvents } from '../topic-events.ts'
import { organizationOf } from '../topics.ts'
import { parseAside } from './parsing.ts'
import { type Plan, planVocabulary } from './plan-vocabulary.ts'
import { readVocabulary } from './read-vocabulary.ts'
import type { VocabularyEntry, VocabularyFormat, VocabularyTopic } from './vocabulary.ts'
import {
  deleteAliasesOf,
  deleteTopics,
  insertNames,
  insertStored,
  lockStored,
  lockStoredNamed,
  updateStored,
} from './vocabulary-queries.ts'

export interface ImportOptions {
  /** Defaults to JSON for a file that begins with a brace, otherwise to YAML. */
  format?: VocabularyFormat | undefined
  organizationId?: number | undefined
  /** Deletes topics that are not in the file. */
  prune: boolean
  /** Returns the plan without changing anything. */
  dryRun: boolean
}

/** Creates and updates topics of an organization as described by a file, in one transaction. */
export async function importVocabulary(deps: Deps, file: ReceivedFile, options: ImportOptions): Promise<Plan> {
  const organizationId = await organizationOf(deps, options.organizationId)
  const text = decode(await readWhole(deps.objects, file))
  const format = options.format ?? (text.trimStart().startsWith('{') ? 'json' : 'yaml')
  const wanted = readVocabulary(await parseAside(text, format))

  const plan = await transaction(deps, async (deps) => {
    const stored = options.prune
      ? await lockStored(deps.db, organizationId)
      : await lockStoredNamed(deps.db, organizationId, keysOf(wanted))
    const plan = planVocabulary(wanted, stored, options)
    if (plan.problems.length > 0) throw importRejected(plan.problems)
    if (!options.dryRun) {
      const changed = [...plan.updated.map(({ before }) => before.id), ...plan.deleted.map(({ id }) => id)]
      await assertUnmirrored(deps, 'topic', changed)
      await apply(deps, organizationId, plan)
      await recordAuditEvent(deps, 'topics_imported', {
        entity: instanceEntity,
        message: 'Imported topics',
        extra: { created: plan.created.length, updated: plan.updated.length, deleted: plan.deleted.length },
      })
    }
    return plan
  })
  if (!options.dryRun) await deleteMarkedObjectsSoon(deps)
  return plan
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw importRejected([{ entry: null, field: null, reason: 'must be UTF-8' }])
  }
}

function keysOf(topics: readonly VocabularyEntry[]): string[] {
  return topics.flatMap(({ name, aliases = [] }) => [name, ...aliases].map((text) => text.toLowerCase()))
}

/** Applies a plan. Deletes first, because deleted names may be used by new topics. */
async function apply(deps: Deps, organizationId: number, plan: Plan): Promise<void> {
  const now = deps.now()
  const ids = plan.deleted.map(({ id }) => id)
  await deleteTopics(deps.db, ids)
  await markForDeletion(
    deps,
    plan.deleted.flatMap(({ avatarKey }) => avatarKey ?? []),
  )
  const realiased = plan.updated.filter(({ fields }) => fields.some(({ field }) => field === 'aliases'))
  await deleteAliasesOf(
    deps.db,
    realiased.map(({ before }) => before.id),
  )
  await updateStored(
    deps.db,
    plan.updated.map(({ before, after }) => ({ ...after, id: before.id })),
    now,
  )
  const inserted = await insertStored(deps.db, organizationId, plan.created, now)
  const names = [
    ...plan.created.flatMap((topic) => namesOf(inserted.get(topic.name.toLowerCase()) ?? 0, topic)),
    ...realiased.flatMap(({ before, after }) => namesOf(before.id, after).slice(1)),
  ]
  const isWhole = inserted.size === plan.created.length
  if (!isWhole || (await insertNames(deps.db, organizationId, names, now)) !== names.length) {
    throw conflict('topics have changed meanwhile; try again')
  }
  const created = plan.created.map((topic) => ({
    ...topic,
    id: inserted.get(topic.name.toLowerCase()) ?? 0,
    organizationId,
  }))
  const updated = plan.updated.map(({ before, after }) => ({ ...after, id: before.id, organizationId }))
  await recordTopicEvents(deps, 'topic_created', created)
  await recordTopicEvents(deps, 'topic_changed', updated)
  await recordTopicEvents(
    deps,
    'topic_deleted',
    plan.deleted.map((topic) => ({ ...topic, organizationId })),
  )
}

/** Returns the topic's name followed by its aliases. */
function namesOf(topicId: number, { name, aliases }: VocabularyTopic) {
  return [{ topicId, name, isAlias: false }, ...aliases.map((alias) => ({ topicId, name: alias, isAlias: true }))]
}
