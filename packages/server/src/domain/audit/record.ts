import type { Deps } from '../deps.ts'
import type { AuditEventDraft, Details } from './audit-event.ts'
import { insertAuditEvents, insertAuditEventUnlessFrequent, type NewAuditEvent } from './audit-event-queries.ts'
import type { AuditEventName } from './event-name.ts'

export type { NewAuditEvent }

/** What an event needs, which commands without a server have too. */
export type RecordDeps = Pick<Deps, 'db' | 'now' | 'actor'>

/** Stores an event of the audit log. Call it in the transaction of the action, from the rule that performs it. */
export async function recordAuditEvent(deps: RecordDeps, name: AuditEventName, draft: AuditEventDraft): Promise<void> {
  await insertAuditEvents(deps.db, [describeEvent(deps, name, draft)])
}

/** Stores the events of one action on several entities. */
export async function recordAuditEvents(
  deps: RecordDeps,
  name: AuditEventName,
  drafts: readonly AuditEventDraft[],
): Promise<void> {
  if (drafts.length > 0)
    await insertAuditEvents(
      deps.db,
      drafts.map((draft) => describeEvent(deps, name, draft)),
    )
}

const hourMs = 60 * 60 * 1000

/**
 * Stores an event that an attacker can cause at will, such as a failed sign-in, unless the entity has had `maxPerHour`
 * of them within an hour.
 */
export async function recordFrequentAuditEvent(
  deps: Deps,
  name: AuditEventName,
  draft: AuditEventDraft,
  maxPerHour: number,
): Promise<void> {
  const since = new Date(Date.parse(deps.now()) - hourMs).toISOString()
  await insertAuditEventUnlessFrequent(deps.db, describeEvent(deps, name, draft), { since, max: maxPerHour })
}

/** Returns the event as it is stored, for statements that insert it together with other rows. */
export function describeEvent(deps: RecordDeps, name: AuditEventName, draft: AuditEventDraft): NewAuditEvent {
  const { entity, extra } = draft
  const named = draft.author === undefined ? deps.actor?.user : draft.author
  const author = named === 'system' ? undefined : named
  const { type, id, name: targetName } = draft.target ?? { type: entity.type, id: entity.id, name: entity.path }
  return {
    name,
    authorId: author?.id ?? null,
    entityType: entity.type,
    entityId: entity.id,
    createdAt: deps.now(),
    details: {
      event_name: name,
      ...describeChanges(draft),
      custom_message: draft.message,
      ...describeAuthor(deps, named),
      target_id: id,
      target_type: type,
      target_details: targetName,
      ip_address: deps.actor?.address ?? null,
      entity_path: entity.path,
      ...(deps.actor?.token && { token: { id: deps.actor.token.id, kind: deps.actor.token.kind } }),
      ...extra,
    },
  }
}

function describeAuthor({ actor }: RecordDeps, author: AuditEventDraft['author']): Details {
  if (author === 'system') return { author_name: 'System' }
  const unknown = actor ? 'An unauthenticated user' : 'System'
  return {
    author_name: author?.name ?? unknown,
    ...(author && { author_username: author.username }),
    ...(actor?.sudoBy && { sudo_by: { id: actor.sudoBy.id, username: actor.sudoBy.username } }),
  }
}

/** A single changed value has GitLab's fields; `changes` has all of them. */
function describeChanges({ changes = {} }: AuditEventDraft): Details {
  const entries = Object.entries(changes)
  const [[name, { from, to }] = ['', { from: null, to: null }]] = entries
  return {
    ...(entries.length === 1 && { change: name, from, to }),
    ...(entries.length > 0 && { changes }),
  }
}
