import type { Schemas } from '@alcove/client'
import { RequestFailed } from '@alcove/client'
import { Download, FileUp } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { DropZone } from '../../../components/drop-zone.tsx'
import { CheckField } from '../../../components/field.tsx'
import { counted, formatBytes, formatCount } from '../../../components/format.ts'
import { Page, Panel } from '../../../components/page.tsx'
import { Table } from '../../../components/table.tsx'
import { api, sessionHeaders, useAction } from '../../../data/api.ts'
import { mayWrite, useSession } from '../../../data/session.ts'
import { useToast } from '../../../data/toasts.ts'
import styles from '../admin.module.css'
import { OrganizationField, useOrganization } from './organization-field.tsx'

type Outcome = Schemas['TopicImport']

/** All topics as one file: out, changed elsewhere, and in again. */
export function Vocabulary() {
  const session = useSession()
  return (
    <Page
      title="Topics as a file"
      crumbs={[{ label: 'Topics', to: '/-/admin/topics' }]}
      lead="All topics with their titles, descriptions and other names, to be kept in version control, reviewed, or taken to another server. Pictures and projects are not in it."
      actions={<OrganizationField />}
    >
      <Export />
      {mayWrite(session) && <Import />}
    </Page>
  )
}

function Export() {
  const organization = useOrganization()
  const toast = useToast()
  /** Fetched, because the address alone does not count as the signed-in browser's. */
  async function save(format: 'yaml' | 'json') {
    try {
      const query = { format, organization_id: organization }
      const response = await fetch(api.address('GET /topics/export', { query }), { headers: sessionHeaders })
      if (!response.ok) throw new Error(`The server answered ${response.status}.`)
      const url = URL.createObjectURL(await response.blob())
      const link = document.createElement('a')
      link.href = url
      link.download = `topics.${format}`
      link.click()
      URL.revokeObjectURL(url)
    } catch (error) {
      toast({ text: `The file could not be fetched: ${(error as Error).message}`, kind: 'error' })
    }
  }
  return (
    <Panel title="Export">
      <div className="row-wrap">
        <Button icon={Download} onClick={() => void save('yaml')}>
          Save as YAML
        </Button>
        <Button icon={Download} onClick={() => void save('json')}>
          Save as JSON
        </Button>
      </div>
    </Panel>
  )
}

/** First what the file would change, then the change. */
function Import() {
  const organization = useOrganization()
  const [file, setFile] = useState<File>()
  const [prune, setPrune] = useState(false)
  const rehearse = useAction('POST /topics/import', { showsErrors: true })
  const apply = useAction('POST /topics/import', { showsErrors: true, done: 'The topics are as the file says.' })
  const request = (file: File, prune: boolean, isRehearsal: boolean) => ({
    body: { file, prune, dry_run: isRehearsal, organization_id: organization },
  })
  function look(file: File, prune: boolean) {
    setFile(file)
    setPrune(prune)
    apply.reset()
    rehearse.mutate(request(file, prune, true))
  }
  const outcome = apply.data ?? rehearse.data
  const error = apply.error ?? rehearse.error
  const changes = rehearse.data ? rehearse.data.created + rehearse.data.updated + rehearse.data.deleted : 0
  return (
    <Panel title="Import">
      <DropZone
        icon={FileUp}
        label={file ? file.name : 'Drop a YAML or JSON file here'}
        hint={
          file
            ? `${formatBytes(file.size)}. Nothing changes until you apply it.`
            : 'Up to 5 MiB. Fields that an entry lacks stay unchanged; null or [] erases. Nothing changes until you apply it.'
        }
        onFiles={([chosen]) => chosen && look(chosen, prune)}
      />
      <CheckField
        label="Delete the topics that the file does not name"
        hint="Otherwise they stay as they are."
        checked={prune}
        onChange={({ target }) => (file ? look(file, target.checked) : setPrune(target.checked))}
      />
      <div aria-live="polite" className="stack">
        {rehearse.isPending && <p className="muted">Comparing …</p>}
        {error && <Rejected error={error} />}
        {outcome && !error && !rehearse.isPending && <Difference outcome={outcome} />}
      </div>
      {file && rehearse.data && !apply.data && !rehearse.isPending && changes > 0 && (
        <div>
          <Button kind="primary" isBusy={apply.isPending} onClick={() => apply.mutate(request(file, prune, false))}>
            Apply {counted(changes, 'change')}
          </Button>
        </div>
      )}
    </Panel>
  )
}

function Rejected({ error }: { error: Error }) {
  const reasons = error instanceof RequestFailed ? error.reasons : []
  return (
    <div role="alert" className="stack-tight">
      <p className={styles.problem}>
        {reasons.length > 0
          ? `Nothing was changed: ${counted(reasons.length, 'thing is', 'things are')} wrong with this file.`
          : error.message}
      </p>
      {reasons.length > 0 && (
        <ul className={styles.reasons}>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

const actions = {
  create: { label: 'New', tone: 'success' },
  update: { label: 'Changed', tone: 'info' },
  delete: { label: 'Deleted', tone: 'danger' },
} as const

function Difference({ outcome }: { outcome: Outcome }) {
  const total = outcome.created + outcome.updated + outcome.deleted
  const numbers = [
    `${formatCount(outcome.created)} new`,
    `${formatCount(outcome.updated)} changed`,
    `${formatCount(outcome.deleted)} deleted`,
    `${formatCount(outcome.unchanged)} as they are`,
  ].join(', ')
  return (
    <>
      <p>
        <strong>{outcome.dry_run ? 'This would happen' : 'This was done'}</strong>: {numbers}.
      </p>
      {total === 0 && <p className="muted">The topics are as the file says already.</p>}
      {outcome.changes.length > 0 && (
        <Table label="What the file changes" head={['Topic', 'What', 'How']}>
          {outcome.changes.map(({ action, name, fields }) => (
            <tr key={`${action} ${name}`}>
              <td className="mono">{name}</td>
              <td>
                <Badge tone={actions[action].tone}>{actions[action].label}</Badge>
              </td>
              <td>
                {fields.map(({ field, from, to }) => (
                  <p key={field} className="small">
                    <span className="muted">{field}</span> <del className={styles.was}>{shown(from)}</del>{' '}
                    <ins className={styles.is}>{shown(to)}</ins>
                  </p>
                ))}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {total > outcome.changes.length && (
        <p className="muted small">The first {formatCount(outcome.changes.length)} are shown.</p>
      )}
    </>
  )
}

/** A text, a list of names, or nothing. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : 'none'
  return typeof value === 'string' && value !== '' ? value : 'none'
}
