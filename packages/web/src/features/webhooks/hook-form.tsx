import type { ResponseOf } from '@alcove/client'
import { useState } from 'react'
import { ActionForm } from '../../components/form/action-form.tsx'
import { CheckField, TextField } from '../../components/form/field.tsx'
import { useHookPlace } from './place.ts'

export type Hook = ResponseOf<'GET /projects/{id}/hooks/{hook_id}' | 'GET /groups/{id}/hooks/{hook_id}'>

export interface HookDraft {
  url: string
  name: string | null
  description: string | null
  /** Absent: unchanged. */
  token?: string | null
  vulnerability_events: boolean
  resource_access_token_events: boolean
  enable_ssl_verification: boolean
}

/** Form of a webhook. The secret token is write-only. */
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
    const token = form.get('forget') ? null : text('token') || undefined
    onSave({
      url: url.trim(),
      name: text('name') || null,
      description: text('description') || null,
      ...(token !== undefined && { token }),
      vulnerability_events: form.get('vulnerability_events') !== null,
      resource_access_token_events: form.get('resource_access_token_events') !== null,
      enable_ssl_verification: form.get('enable_ssl_verification') !== null,
    })
  }
  return (
    <ActionForm
      action={{ error, isPending: isBusy }}
      fields={['url', 'token', 'name', 'description']}
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
      {hook && !isMoved && <CheckField label="Remove secret token" name="forget" />}
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
