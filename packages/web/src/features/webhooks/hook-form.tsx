import type { ResponseOf } from '@alcove/client'
import { useState } from 'react'
import { ActionForm } from '../../components/form/action-form.tsx'
import { CheckField, type Choice, SelectField, TextField } from '../../components/form/field.tsx'
import { useHookPlace } from './place.ts'

export type Hook = ResponseOf<'GET /projects/{id}/hooks/{hook_id}' | 'GET /groups/{id}/hooks/{hook_id}'>

export interface HookDraft {
  url: string
  name: string | null
  description: string | null
  /** Absent: unchanged. */
  token?: string | null
  /** Absent: unchanged. */
  signing_token?: string | null
  format: Format
  min_severity: Severity | null
  vulnerability_events: boolean
  resource_access_token_events: boolean
  enable_ssl_verification: boolean
}

type Format = Hook['format']
type Severity = 'critical' | 'high' | 'medium' | 'low'

const formats: readonly Choice<Format>[] = [
  { value: 'gitlab', label: 'GitLab events' },
  { value: 'slack', label: 'Slack' },
  { value: 'teams', label: 'Microsoft Teams' },
  { value: 'mattermost', label: 'Mattermost' },
  { value: 'json', label: 'Plain JSON' },
]

const leastSeverities: readonly Choice<Severity | ''>[] = [
  { value: '', label: 'Any severity' },
  { value: 'critical', label: 'Critical' },
  { value: 'high', label: 'High and above' },
  { value: 'medium', label: 'Medium and above' },
  { value: 'low', label: 'Low and above' },
]

function chosen<Value extends string>(choices: readonly Choice<Value>[], value: string): Value | undefined {
  return choices.find((choice) => choice.value === value)?.value
}

/** Form of a webhook. Both tokens are write-only. */
export function HookForm({
  hook,
  error,
  isBusy,
  onSave,
}: {
  hook?: Hook
  error: Error | null
  isBusy: boolean
  onSave: (draft: HookDraft) => void
}) {
  const { noun } = useHookPlace()
  const [url, setUrl] = useState(hook?.url ?? '')
  const isMoved = hook !== undefined && url.trim() !== hook.url
  function submit(text: (name: string) => string, element: HTMLFormElement) {
    const form = new FormData(element)
    const secret = (name: string) => (form.get(`remove_${name}`) ? null : text(name) || undefined)
    const [token, signingToken] = [secret('token'), secret('signing_token')]
    onSave({
      url: url.trim(),
      name: text('name') || null,
      description: text('description') || null,
      ...(token !== undefined && { token }),
      ...(signingToken !== undefined && { signing_token: signingToken }),
      format: chosen(formats, text('format')) ?? 'gitlab',
      min_severity: chosen(leastSeverities, text('min_severity')) || null,
      vulnerability_events: form.get('vulnerability_events') !== null,
      resource_access_token_events: form.get('resource_access_token_events') !== null,
      enable_ssl_verification: form.get('enable_ssl_verification') !== null,
    })
  }
  return (
    <ActionForm
      action={{ error, isPending: isBusy }}
      fields={['url', 'token', 'signing_token', 'format', 'min_severity', 'name', 'description']}
      submit={hook ? 'Save' : 'Add webhook'}
      onSubmit={submit}
    >
      <TextField
        label="URL"
        type="url"
        required
        placeholder="https://example.com/hook"
        value={url}
        onChange={({ target }) => setUrl(target.value)}
        name="url"
      />
      <TextField label="Name" name="name" defaultValue={hook?.name ?? ''} />
      <TextField label="Description" name="description" defaultValue={hook?.description ?? ''} />
      <TextField
        label={hook ? 'New secret token' : 'Secret token'}
        name="token"
        type="password"
        autoComplete="new-password"
        hint={
          isMoved
            ? 'Changing the URL removes the secret token. Enter one here to set it again.'
            : `Sent in the X-Gitlab-Token header so that the receiver can verify requests. It is not shown again.${hook ? ' Leave empty to keep the current token.' : ''}`
        }
      />
      {hook?.token_present && !isMoved && <CheckField label="Remove secret token" name="remove_token" />}
      <TextField
        label={hook ? 'New signing token' : 'Signing token'}
        name="signing_token"
        type="password"
        autoComplete="new-password"
        hint="Signs every request: the receiver verifies the webhook-signature header with it. It is not sent or shown again."
      />
      {hook?.signing_token_present && !isMoved && (
        <CheckField label="Remove signing token" name="remove_signing_token" />
      )}
      <SelectField
        label="Format"
        name="format"
        choices={formats}
        defaultValue={hook?.format ?? 'gitlab'}
        hint="Chats receive one message for all vulnerabilities that a report adds or changes."
      />
      <SelectField
        label="Vulnerabilities"
        name="min_severity"
        choices={leastSeverities}
        defaultValue={hook?.min_severity ?? ''}
        hint="Less severe vulnerabilities are not sent."
      />
      <CheckField
        label="Vulnerability events"
        name="vulnerability_events"
        hint={`Sent when a vulnerability ${noun === 'group' ? 'of a project in the group ' : ''}is detected, changed or no longer detected.`}
        defaultChecked={hook?.vulnerability_events ?? true}
      />
      <CheckField
        label="Access token events"
        name="resource_access_token_events"
        hint={`Sent 60, 30 and 7 days before an access token of the ${noun === 'group' ? 'group, or of a project or group in it,' : 'project'} expires.`}
        defaultChecked={hook?.resource_access_token_events ?? true}
      />
      <CheckField
        label="Enable SSL verification"
        name="enable_ssl_verification"
        defaultChecked={hook?.enable_ssl_verification ?? true}
      />
    </ActionForm>
  )
}
