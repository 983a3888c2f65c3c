import { useState } from 'react'
import { ActionForm } from '../../../components/form/action-form.tsx'
import { TextField } from '../../../components/form/field.tsx'
import { formatBytes } from '../../../components/format.ts'
import { Panel } from '../../../components/page/page.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { useAction, useApiQuery } from '../../../data/api.ts'
import { useMayChange, useSession } from '../../../data/session.ts'
import { useProject } from '../../../nouns/project/project.ts'
import { texts } from '../texts.ts'

const mebi = 1024 * 1024

/** Upload limits of a project, which only administrators may change. */
export function UploadLimits() {
  const { project } = useProject()
  const session = useSession()
  const mayChange = useMayChange()
  const query = useApiQuery('GET /projects/{id}/uploads/limits', { path: { id: project.id } })
  return (
    <Panel title={texts.uploadLimits}>
      <QueryResult query={query}>
        {(limits) => (
          <>
            <p>
              {texts.fileMaximumFileSize(
                limits.files,
                formatBytes(limits.used_bytes),
                formatBytes(limits.max_upload_bytes),
                limits.quota_bytes === null
                  ? texts.noStorageQuota
                  : texts.storageQuota(formatBytes(limits.quota_bytes)),
              )}
            </p>
            {session.is_admin && mayChange ? (
              <Form key={`${limits.max_upload_bytes} ${limits.quota_bytes}`} limits={limits} />
            ) : (
              <p className="muted small">{texts.onlyAdministratorsCanChange}</p>
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
  const action = useAction('PUT /projects/{id}/uploads/limits', { showsErrors: true, done: texts.limitsSaved })
  const save = () =>
    action.mutate({ path: { id: project.id }, body: { max_upload_bytes: inBytes(max), quota_bytes: inBytes(quota) } })
  return (
    <ActionForm action={action} submit={texts.saveLimits} kind="plain" onSubmit={save}>
      <TextField
        label={texts.maximumFileSizeMib}
        type="number"
        min="0.001"
        step="any"
        value={max}
        onChange={({ target }) => setMax(target.value)}
        hint={texts.leaveEmptyForTheServerMaxUploadBytes(formatBytes(session.max_upload_bytes))}
      />
      <TextField
        label={texts.storageQuotaMib}
        type="number"
        min="0"
        step="any"
        value={quota}
        onChange={({ target }) => setQuota(target.value)}
        hint={texts.leaveEmptyForTheServer}
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
