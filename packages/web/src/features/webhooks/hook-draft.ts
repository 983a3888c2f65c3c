import { type BodyOf, RequestFailed } from '@alcove/client'
import { type EventName, eventsOf } from './events.ts'
import type { Hook, HookPlace } from './place.ts'
import { texts } from './texts.ts'

export type HookDraft = BodyOf<'POST /groups/{id}/hooks'> & { topic_events?: boolean }

export type Format = NonNullable<HookDraft['format']>
export type Severity = NonNullable<HookDraft['min_severity']>
export type State = NonNullable<HookDraft['states']>[number]

export const states: readonly State[] = ['detected', 'confirmed', 'resolved', 'dismissed']

/** Lists of secret values, each with a key. */
export type SecretList = 'custom_headers' | 'url_variables'

/** Reads the form of a webhook. Empty secrets are left out, so that they stay as they are. */
export function readDraft(form: FormData, noun: HookPlace['noun']): HookDraft {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const secret = (name: 'token' | 'signing_token') => {
    const value = form.get(`remove_${name}`) ? null : text(name) || undefined
    return value === undefined ? {} : { [name]: value }
  }
  const pairs = (name: SecretList) => {
    const found = readPairs(form, name)
    return found.length > 0 && { [name]: found }
  }
  const events = eventsOf(noun).map(({ name }): [EventName, boolean] => [name, form.has(name)])
  return {
    url: text('url'),
    name: text('name') || null,
    description: text('description') || null,
    format: text('format') as Format, // the values of the select
    min_severity: (text('min_severity') || null) as Severity | null, // the values of the select
    saved_view_id: Number(text('saved_view_id')) || null,
    states: states.filter((state) => form.has(`states ${state}`)),
    refs: splitRefs(text('refs')),
    ...(noun !== 'project' && { project_ids: form.getAll('project_ids').map(Number) }),
    ...secret('token'),
    ...secret('signing_token'),
    ...pairs('custom_headers'),
    ...pairs('url_variables'),
    ...Object.fromEntries(events),
    enable_ssl_verification: form.has('enable_ssl_verification'),
  }
}

const splitRefs = (text: string): string[] =>
  text
    .split(',')
    .map((ref) => ref.trim())
    .filter((ref) => ref !== '')

/** Returns the rows that have a key or a value, with the spaces inside values. */
function readPairs(form: FormData, name: SecretList): { key: string; value: string }[] {
  const values = form.getAll(texts.value(name)).map(String)
  return form
    .getAll(texts.key(name))
    .map((key, index) => ({ key: String(key).trim(), value: values[index] ?? '' }))
    .filter(({ key, value }) => key !== '' || value !== '')
}

/** Returns the fields of a webhook that its form edits, but for the keys of its secrets. */
export function editedFields(hook: Hook): object {
  const { url, name, description, format, min_severity, states, refs, project_ids, enable_ssl_verification } = hook
  const { token_present, signing_token_present, saved_view_id } = hook
  const events = eventsOf('instance').map(({ name }) => hook[name])
  return [
    [url, name, description, format, enable_ssl_verification, token_present, signing_token_present],
    [min_severity, saved_view_id, states, refs, project_ids, events],
  ]
}

/** Fields of the sentences in which the server rejects a value without naming its field. */
const fieldsBySentence: Readonly<Record<string, string>> = {
  'Invalid url given': 'url',
  'the token may hold printable ASCII characters only': 'token',
  'Custom headers validation failed': 'custom_headers',
  'Illegal key or value': 'url_variables',
}

/** Adds the name of the rejected field to an error, so that its message appears beside the field. */
export function withField(error: Error | null): Error | null {
  if (!(error instanceof RequestFailed) || Object.keys(error.fields).length > 0) return error
  const field = fieldsBySentence[error.message] ?? /^(\w+)(?:\[| (?:is|does) )/.exec(error.message)?.[1]
  return field === undefined ? error : new RequestFailed(error.status, error.message, { [field]: error.message })
}
