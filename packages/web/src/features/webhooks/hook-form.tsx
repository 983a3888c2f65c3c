import { useEffect, useRef, useState } from 'react'
import { ActionForm } from '../../components/form/action-form.tsx'
import { CheckField, type Choice, SelectField, TextField } from '../../components/form/field.tsx'
import { EventFields } from './event-fields.tsx'
import { FilterFields } from './filter-fields.tsx'
import { type Format, type HookDraft, readDraft, withField } from './hook-draft.ts'
import { type Hook, useHookPlace } from './place.ts'
import { SecretValues } from './secret-values.tsx'
import { TokenFields } from './token-fields.tsx'

const formats: readonly Choice<Format>[] = [
  { value: 'gitlab', label: 'GitLab events' },
  { value: 'slack', label: 'Slack' },
  { value: 'teams', label: 'Microsoft Teams' },
  { value: 'mattermost', label: 'Mattermost' },
  { value: 'json', label: 'Plain JSON' },
]

const shownFields = [
  ...['url', 'name', 'description', 'format', 'min_severity', 'saved_view_id', 'refs', 'project_ids'],
  ...['token', 'signing_token', 'custom_headers', 'url_variables'],
]

/** Form of a webhook. Its secrets are write-only. */
export function HookForm({
  hook,
  isSaved = false,
  error,
  isBusy,
  onSave,
}: {
  hook?: Hook
  /** True: the form replaces one that was just saved, whose button had the focus. */
  isSaved?: boolean
  error: Error | null
  isBusy: boolean
  onSave: (draft: HookDraft) => void
}) {
  const { noun } = useHookPlace()
  const [url, setUrl] = useState(hook?.url ?? '')
  const isMoved = hook !== undefined && url.trim() !== hook.url
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isSaved || document.activeElement !== document.body) return
    place.current?.querySelector<HTMLElement>('[type="submit"]')?.focus({ preventScroll: true })
  }, [isSaved])
  return (
    <div ref={place}>
      <ActionForm
        action={{ error: withField(error), isPending: isBusy }}
        fields={shownFields}
        submit={hook ? 'Save' : 'Add webhook'}
        onSubmit={(_, form) => onSave(readDraft(new FormData(form), noun))}
      >
        <TextField
          label="URL"
          inputMode="url" // the type "url" would reject variables in the host name
          required
          placeholder="https://example.com/hook"
          value={url}
          onChange={({ target }) => setUrl(target.value)}
          name="url"
        />
        <TextField label="Name" name="name" defaultValue={hook?.name ?? ''} />
        <TextField label="Description" name="description" defaultValue={hook?.description ?? ''} />
        <SelectField
          label="Format"
          name="format"
          choices={formats}
          defaultValue={hook?.format ?? 'gitlab'}
          hint="Chats receive one message for all vulnerabilities that a report adds or changes."
        />
        <EventFields hook={hook} />
        <FilterFields hook={hook} />
        <TokenFields {...{ hook, isMoved }} />
        <SecretValues list="custom_headers" {...{ hook, isMoved }} />
        <SecretValues list="url_variables" {...{ hook, isMoved }} />
        <CheckField
          label="Enable SSL verification"
          name="enable_ssl_verification"
          defaultChecked={hook?.enable_ssl_verification ?? true}
        />
      </ActionForm>
    </div>
  )
}
