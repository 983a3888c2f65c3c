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
  /** Absent: as it is. */
  token?: string | null
  vulnerability_events: boolean
  enable_ssl_verification: boolean
}

/** The token goes in and never comes out. */
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
        label="Address"
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
            ? 'With another address the token is forgotten, unless you give one here.'
            : `Sent as X-Gitlab-Token, so that the receiver knows who calls. It is never shown again.${hook ? ' Empty: it stays as it is.' : ''}`
        }
      />
      {hook && !isMoved && <CheckField label="Forget the token" name="forget" />}
      <CheckField
        label="Tell of vulnerabilities"
        name="vulnerability_events"
        hint="When one is found, changed, or found no longer."
        defaultChecked={hook?.vulnerability_events ?? true}
      />
      <CheckField
        label="Check the certificate of the receiver"
        name="enable_ssl_verification"
        defaultChecked={hook?.enable_ssl_verification ?? true}
      />
      <Problem text={rest} />
      <div>
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {hook ? 'Save' : 'Add the webhook'}
        </Button>
      </div>
    </form>
  )
}
