import { useEffect, useRef, useState } from 'react'
import { ActionForm } from '../../components/form/action-form.tsx'
import { CheckField, type Choice, SelectField, TextField } from '../../components/form/field.tsx'
import { EventFields } from './event-fields.tsx'
import { FilterFields } from './filter-fields.tsx'
import { type Format, type HookDraft, readDraft, withField } from './hook-draft.ts'
import { type Hook, useHookPlace } from './place.ts'
import { SecretValues } from './secret-values.tsx'
import { texts } from './texts.ts'
import { TokenFields } from './token-fields.tsx'

const formats: readonly Choice<Format>[] = [
  { value: 'gitlab', label: texts.gitlabEvents },
  { value: 'slack', label: texts.slack },
  { value: 'teams', label: texts.microsoftTeams },
  { value: 'mattermost', label: texts.mattermost },
  { value: 'json', label: texts.plainJson },
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
        submit={hook ? texts.save : texts.addWebhook}
        onSubmit={(_, form) => onSave(readDraft(new FormData(form), noun))}
      >
        <TextField
          label={texts.url}
          inputMode="url" // the type "url" would reject variables in the host name
          required
          placeholder="https://example.com/hook"
          value={url}
          onChange={({ target }) => setUrl(target.value)}
          name="url"
        />
        <TextField label={texts.name} name="name" defaultValue={hook?.name ?? ''} />
        <TextField label={texts.description} name="description" defaultValue={hook?.description ?? ''} />
        <SelectField
          label={texts.format}
          name="format"
          choices={formats}
          defaultValue={hook?.format ?? 'gitlab'}
          hint={texts.chatsReceiveOneMessage}
        />
        <EventFields hook={hook} />
        <FilterFields hook={hook} />
        <TokenFields {...{ hook, isMoved }} />
        <SecretValues list="custom_headers" {...{ hook, isMoved }} />
        <SecretValues list="url_variables" {...{ hook, isMoved }} />
        <CheckField
          label={texts.enableSslVerification}
          name="enable_ssl_verification"
          defaultChecked={hook?.enable_ssl_verification ?? true}
        />
      </ActionForm>
    </div>
  )
}
