import { useState } from 'react'
import { ActionForm } from '../../../components/form/action-form.tsx'
import { TextField } from '../../../components/form/field.tsx'
import { counted, formatBytes } from '../../../components/format.ts'
import { Panel } from '../../../components/page/page.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { useAction, useApiQuery } from '../../../data/api.ts'
import { useMayChange, useSession } from '../../../data/session.ts'
import { useProject } from '../../../nouns/project/project.ts'

const mebi = 1024 * 1024

/** Upload limits of a project, which only administrators may change. */
export function UploadLimits() {
  const { project } = useProject()
  const session = useSession()
  const mayChange = useMayChange()
  const query = useApiQuery('GET /projects/{id}/uploads/limits', { path: { id: project.id } })
  return (
    <Panel title="Upload limits">
      <QueryResult query={query}>
        {(limits) => (
          <>
            <p>
              {counted(limits.files, 'file')}, {formatBytes(limits.used_bytes)}. Maximum file size:{' '}
              {formatBytes(limits.max_upload_bytes)}.
              {limits.quota_bytes === null
                ? ' No storage quota.'
                : ` Storage quota: ${formatBytes(limits.quota_bytes)}.`}
            </p>
            {session.is_admin && mayChange ? (
              <Form key={`${limits.max_upload_bytes} ${limits.quota_bytes}`} limits={limits} />
            ) : (
              <p className="muted small">Only administrators can change these limits.</p>
            )}
          </>
        )}
      </QueryResult>
    </Panel>
  )
}

function Form({ limits }: { limits: { max_upload_bytes: number; quota_bytes: number | null } }) {
  const { project } = useProject()
  const session = useSession()
  const isOwn = limits.max_upload_bytes !== session.max_upload_bytes
  const [max, setMax] = useState(isOwn ? inMebi(limits.max_upload_bytes) : '')
  const [quota, setQuota] = useState(limits.quota_bytes === null ? '' : inMebi(limits.quota_bytes))
  const action = useAction('PUT /projects/{id}/uploads/limits', { showsErrors: true, done: 'Limits saved.' })
  const save = () =>
    action.mutate({ path: { id: project.id }, body: { max_upload_bytes: inBytes(max), quota_bytes: inBytes(quota) } })
  return (
    <ActionForm action={action} submit="Save limits" kind="plain" onSubmit={save}>
      <TextField
        label="Maximum file size (MiB)"
        type="number"
        min="0.001"
        step="any"
        value={max}
        onChange={({ target }) => setMax(target.value)}
        hint={`Leave empty for the server limit of ${formatBytes(session.max_upload_bytes)}.`}
      />
      <TextField
        label="Storage quota (MiB)"
        type="number"
        min="0"
        step="any"
        value={quota}
        onChange={({ target }) => setQuota(target.value)}
        hint="Leave empty for the server default."
      />
    </ActionForm>
  )
}

function inMebi(bytes: number): string {
  return String(Number((bytes / mebi).toFixed(3)))
}

function inBytes(text: string): number | null {
  return text.trim() === '' ? null : Math.round(Number(text) * mebi)
}
