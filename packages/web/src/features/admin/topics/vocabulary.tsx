import type { Schemas } from '@alcove/client'
import { RequestFailed } from '@alcove/client'
import { Download, FileUp } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { DropZone } from '../../../components/form/drop-zone.tsx'
import { CheckField } from '../../../components/form/field.tsx'
import { counted, formatBytes, formatCount } from '../../../components/format.ts'
import { Page, Panel } from '../../../components/page/page.tsx'
import { Table } from '../../../components/table.tsx'
import { useAction } from '../../../data/api.ts'
import { saveFile } from '../../../data/save-file.ts'
import { mayWrite, useSession } from '../../../data/session.ts'
import { useToast } from '../../../data/toasts.ts'
import styles from '../admin.module.css'
import { OrganizationField, useOrganization } from './organization-field.tsx'

type Outcome = Schemas['TopicImport']

/** Import and export of all topics as one file. */
export function Vocabulary() {
  const session = useSession()
  return (
    <Page
      title="Import/export"
      crumbs={[{ label: 'Topics', to: '/-/admin/topics' }]}
      lead="Export all topics with their titles, descriptions and aliases, for version control, review or transfer to another server. Avatars and projects are not included."
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
  async function save(format: 'yaml' | 'json') {
    try {
      const query = { format, organization_id: organization }
      await saveFile('GET /topics/export', { query }, `topics.${format}`)
    } catch (error) {
      toast({ text: `Export failed: ${(error as Error).message}`, kind: 'error' }) // always an Error
    }
  }
  return (
    <Panel title="Export">
      <div className="row-wrap">
        <Button icon={Download} onClick={() => void save('yaml')}>
          Export as YAML
        </Button>
        <Button icon={Download} onClick={() => void save('json')}>
          Export as JSON
        </Button>
      </div>
    </Panel>
  )
}

/** Imports a file in two steps: a dry run that shows the changes, then the import. */
function Import() {
  const organization = useOrganization()
  const [file, setFile] = useState<File>()
  const [prune, setPrune] = useState(false)
  const dryRun = useAction('POST /topics/import', { showsErrors: true })
  const apply = useAction('POST /topics/import', { showsErrors: true, done: 'Topics updated.' })
  const request = (file: File, prune: boolean, isDryRun: boolean) => ({
    body: { file, prune, dry_run: isDryRun, organization_id: organization },
  })
  function look(file: File, prune: boolean) {
    setFile(file)
    setPrune(prune)
    apply.reset()
    dryRun.mutate(request(file, prune, true))
  }
  const outcome = apply.data ?? dryRun.data
  const error = apply.error ?? dryRun.error
  const changes = dryRun.data ? dryRun.data.created + dryRun.data.updated + dryRun.data.deleted : 0
  return (
    <Panel title="Import">
      <DropZone
        icon={FileUp}
        label={file ? file.name : 'Drop a YAML or JSON file here'}
        hint={
          file
            ? `${formatBytes(file.size)}. You can review changes before applying them.`
            : 'Maximum size: 5 MiB. Missing fields stay unchanged; null or [] clears a field. You can review changes before applying them.'
        }
        onFiles={([chosen]) => chosen && look(chosen, prune)}
      />
      <CheckField
        label="Delete topics not in the file"
        hint="Otherwise they are left unchanged."
        checked={prune}
        onChange={({ target }) => (file ? look(file, target.checked) : setPrune(target.checked))}
      />
      <div aria-live="polite" className="stack">
        {dryRun.isPending && <p className="muted">Comparing …</p>}
        {error && <Rejected error={error} />}
        {outcome && !error && !dryRun.isPending && <Difference outcome={outcome} />}
      </div>
      {file && dryRun.data && !apply.data && !dryRun.isPending && changes > 0 && (
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
        {reasons.length > 0 ? `Nothing was changed: the file has ${counted(reasons.length, 'error')}.` : error.message}
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
    `${formatCount(outcome.unchanged)} unchanged`,
  ].join(', ')
  return (
    <>
      <p>
        <strong>{outcome.dry_run ? 'Preview' : 'Changes applied'}</strong>: {numbers}.
      </p>
      {total === 0 && <p className="muted">The topics already match the file.</p>}
      {outcome.changes.length > 0 && (
        <Table label="Changes" head={['Topic', 'Change', 'Details']}>
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
        <p className="muted small">Showing the first {formatCount(outcome.changes.length)} changes.</p>
      )}
    </>
  )
}

/** Formats a text or a list of names; `none` if empty. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : 'none'
  return typeof value === 'string' && value !== '' ? value : 'none'
}
