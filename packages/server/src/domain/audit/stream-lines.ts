import { hostname } from 'node:os'
import { frameSyslog } from '../../platform/outgoing/syslog.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import type { SealedEvent } from './audit-event.ts'

/** Returns the event as one line of JSON: the fields of the API, and its place in the hash chain. */
export function lineOf(event: SealedEvent): string {
  return JSON.stringify({
    position: event.position,
    hash: event.hash,
    id: event.id,
    event_name: event.name,
    author_id: event.authorId,
    entity_type: event.entityType,
    entity_id: event.entityId,
    created_at: event.createdAt,
    details: event.details,
  })
}

/** Returns the line as a syslog message. */
export function syslogFrameOf({ externalUrl }: Pick<Settings, 'externalUrl'>, event: SealedEvent): string {
  return frameSyslog({
    time: event.createdAt,
    hostname: externalUrl ? new URL(externalUrl).hostname : hostname(),
    text: inAscii(lineOf(event)),
  })
}

/** Escapes the characters of JSON that are not ASCII, which occur in strings only. */
function inAscii(json: string): string {
  return json.replaceAll(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
