import type { AnswerOf } from '@alcove/client'
import { type FormEvent, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CheckField, TextField } from '../../../components/field.tsx'
import { Problem, problemsOf } from '../../../components/problem.tsx'

export type Hook = AnswerOf<'GET /projects/{id}/hooks/{hook_id}'>

export interface HookDraft {
  url: string
  name: string | null
  description: string | null
  /** Absent: unchanged. */
  token?: string | null
  vulnerability_events: boolean
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
  const [url, setUrl] = useState(hook?.url ?? '')
  const { fields, rest } = problemsOf(error, ['url', 'token', 'name', 'description'])
  const isMoved = hook !== undefined && url.trim() !== hook.url
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const token = form.get('forget') ? null : text('token') || undefined
    onSave({
      url: url.trim(),
      name: text('name') || null,
      description: text('description') || null,
      ...(token !== undefined && { token }),
      vulnerability_events: form.get('vulnerability_events') !== null,
      enable_ssl_verification: form.get('enable_ssl_verification') !== null,
    })
  }
  return (
    <form className="form" onSubmit={submit}>
      <TextField
        label="URL"
        type="url"
        required
        placeholder="https://example.com/hook"
        value={url}
        onChange={({ target }) => setUrl(target.value)}
        error={fields['url']}
      />
      <TextField label="Name" name="name" defaultValue={hook?.name ?? ''} error={fields['name']} />
      <TextField
        label="Description"
        name="description"
        defaultValue={hook?.description ?? ''}
        error={fields['description']}
      />
      <TextField
        label={hook ? 'New secret token' : 'Secret token'}
        name="token"
        type="password"
        autoComplete="new-password"
        error={fields['token']}
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
        hint="Sent when a vulnerability is detected, changed or no longer detected."
        defaultChecked={hook?.vulnerability_events ?? true}
      />
      <CheckField
        label="Enable SSL verification"
        name="enable_ssl_verification"
        defaultChecked={hook?.enable_ssl_verification ?? true}
      />
      <Problem text={rest} />
      <div>
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {hook ? 'Save' : 'Add webhook'}
        </Button>
      </div>
    </form>
  )
}
