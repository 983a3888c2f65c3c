import type { Schemas } from '@alcove/client'
import { inWords } from '../../components/format.ts'
import { texts } from './texts.ts'

type AuditEvent = Schemas['AuditEvent']

/** What a row of the audit log shows. */
export interface EventText {
  author: string
  /** Username of the author, if they have one. */
  username: string | undefined
  /** Sentence without subject, such as `Removed the webhook 3`. */
  action: string
  target: string
  /** Address of the page of what the event belongs to; undefined if it was deleted, or has none. */
  link: string | undefined
  address: string | undefined
  changes: readonly { name: string; from: string; to: string }[]
  /** Further facts, with their labels. */
  facts: readonly { label: string; value: string }[]
}

export function describeEvent({ event_name: name, entity_type: type, details }: AuditEvent): EventText {
  const path = textOf(details['entity_path'])
  const sudo = objectOf(details['sudo_by'])
  const token = objectOf(details['token'])
  return {
    author: textOf(details['author_name']) ?? texts.system,
    username: textOf(details['author_username']),
    action: textOf(details['custom_message']) ?? inWords(name),
    target: textOf(details['target_details']) ?? path ?? '',
    link: path === undefined || name.endsWith('_destroyed') ? undefined : pages[type]?.(path),
    address: textOf(details['ip_address']),
    changes: Object.entries(objectOf(details['changes']) ?? {}).map(([attribute, change]) => ({
      name: inWords(attribute),
      from: valueInWords(objectOf(change)?.['from']),
      to: valueInWords(objectOf(change)?.['to']),
    })),
    facts: [
      { label: texts.event, value: name },
      {
        label: texts.belongsTo,
        value: path === undefined || type === instance ? texts.theInstance : `${type} ${path}`,
      },
      ...(sudo ? [{ label: texts.performedBy, value: texts.withSudo(textOf(sudo['username'])) }] : []),
      ...(token ? [{ label: texts.token, value: `${inWords(textOf(token['kind']) ?? '')} ${token['id']}` }] : []),
    ],
  }
}

const instance = texts.gitlabAuditInstancescope

const pages: Readonly<Partial<Record<AuditEvent['entity_type'], (path: string) => string>>> = {
  Project: (path) => `/${path}`,
  Group: (path) => `/groups/${path}`,
  User: (path) => `/${path}`,
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined

const objectOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  // An object of JSON has only keys of its own.
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined

function valueInWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return textOf(value) ?? JSON.stringify(value)
}
