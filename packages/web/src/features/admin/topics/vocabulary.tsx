import type { Schemas } from '@alcove/client'
import { RequestFailed } from '@alcove/client'
import { Download, FileUp } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { DropZone } from '../../../components/form/drop-zone.tsx'
import { CheckField } from '../../../components/form/field.tsx'
import { formatBytes, formatCount } from '../../../components/format.ts'
import { Page, Panel } from '../../../components/page/page.tsx'
import { Table } from '../../../components/table.tsx'
import { useAction } from '../../../data/api.ts'
import { saveFile } from '../../../data/save-file.ts'
import { mayWrite, useSession } from '../../../data/session.ts'
import { useToast } from '../../../data/toasts.ts'
import styles from '../admin.module.css'
import { OrganizationField, useOrganization } from './organization-field.tsx'
import { texts } from './texts.ts'

type Outcome = Schemas['TopicImport']

/** Import and export of all topics as one file. */
export function Vocabulary() {
  const session = useSession()
  return (
    <Page
      title={texts.importExport}
      crumbs={[{ label: texts.topics, to: '/-/admin/topics' }]}
      lead={texts.exportAllTopicsWithTheir}
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
      toast({ text: texts.exportFailed((error as Error).message), kind: 'error' }) // always an Error
    }
  }
  return (
    <Panel title={texts.exportLabel}>
      <div className="row-wrap">
        <Button icon={Download} onClick={() => void save('yaml')}>
          {texts.exportAsYaml}
        </Button>
        <Button icon={Download} onClick={() => void save('json')}>
          {texts.exportAsJson}
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
  const apply = useAction('POST /topics/import', { showsErrors: true, done: texts.topicsUpdated })
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
    <Panel title={texts.importLabel}>
      <DropZone
        icon={FileUp}
        label={file ? file.name : texts.dropAYamlOrJson}
        hint={file ? texts.youCanReviewChanges(formatBytes(file.size)) : texts.maximumSize5Mib}
        onFiles={([chosen]) => chosen && look(chosen, prune)}
      />
      <CheckField
        label={texts.deleteTopicsNotInTheFile}
        hint={texts.otherwiseTheyAreLeft}
        checked={prune}
        onChange={({ target }) => (file ? look(file, target.checked) : setPrune(target.checked))}
      />
      <div aria-live="polite" className="stack">
        {dryRun.isPending && <p className="muted">{texts.comparing}</p>}
        {error && <Rejected error={error} />}
        {outcome && !error && !dryRun.isPending && <Difference outcome={outcome} />}
      </div>
      {file && dryRun.data && !apply.data && !dryRun.isPending && changes > 0 && (
        <div>
          <Button kind="primary" isBusy={apply.isPending} onClick={() => apply.mutate(request(file, prune, false))}>
            {texts.applyChange(changes)}
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
        {reasons.length > 0 ? texts.nothingWasChangedTheFile(reasons.length) : error.message}
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
  create: { label: texts.newLabel, tone: 'success' },
  update: { label: texts.changed, tone: 'info' },
  delete: { label: texts.deleted, tone: 'danger' },
} as const

function Difference({ outcome }: { outcome: Outcome }) {
  const total = outcome.created + outcome.updated + outcome.deleted
  const numbers = [
    texts.newLabelCreated(formatCount(outcome.created)),
    texts.changedUpdated(formatCount(outcome.updated)),
    texts.deletedDeleted(formatCount(outcome.deleted)),
    texts.unchanged(formatCount(outcome.unchanged)),
  ].join(', ')
  return (
    <>
      <p>
        <strong>{outcome.dry_run ? texts.preview : texts.changesApplied}</strong>: {numbers}.
      </p>
      {total === 0 && <p className="muted">{texts.theTopicsAlreadyMatch}</p>}
      {outcome.changes.length > 0 && (
        <Table label={texts.changes} head={[texts.topic, texts.change, texts.details]}>
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
        <p className="muted small">{texts.showingTheFirstChanges(formatCount(outcome.changes.length))}</p>
      )}
    </>
  )
}

/** Formats a text or a list of names; `none` if empty. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : 'none'
  return typeof value === 'string' && value !== '' ? value : 'none'
}
