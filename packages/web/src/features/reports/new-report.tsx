import type { Schemas } from '@alcove/client'
import { FileUp } from 'lucide-react'
import { type FormEvent, useEffect, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../components/button.tsx'
import { DropZone } from '../../components/form/drop-zone.tsx'
import { CheckField, Field, SelectField, TextField } from '../../components/form/field.tsx'
import { ForWriters } from '../../components/form/for-writers.tsx'
import { formatBytes } from '../../components/format.ts'
import { Page, Panel } from '../../components/page/page.tsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { api, queries, useApiQuery } from '../../data/api.ts'
import { contentOf, createKeyring } from '../../data/idempotency-keys.ts'
import { type Sending, sendForm } from '../../data/send-form.ts'
import { useSession } from '../../data/session.ts'
import { store } from '../../data/store.ts'
import { useProject } from '../../nouns/project/project.ts'
import { droppedReport } from './dropped-report.ts'
import { ImportFailed } from './import-failed.tsx'
import { Outcome } from './outcome.tsx'
import { texts } from './texts.ts'

type Import = Schemas['Import']

interface DryRunResult {
  file: File
  projectFiles: readonly File[]
  options: Record<string, string>
  outcome: Import
}

// Outside React state, because the user may leave the page, return, and retry the same file.
const keyring = store.slot(createKeyring)

/** Imports a report in two steps: a dry run that shows the changes, then the import. */
export function NewReport() {
  const { project, level, to } = useProject()
  const session = useSession()
  const mayPromote = level >= session.triage_access_level
  const [, navigate] = useLocation()
  const [file, setFile] = useState(droppedReport.get)
  const [projectFiles, setProjectFiles] = useState<readonly File[]>([])
  useEffect(() => droppedReport.set(undefined), [])
  const [sending, setSending] = useState<Sending<Import> & { isDryRun: boolean }>()
  const [progress, setProgress] = useState(0)
  const [dryRunResult, setDryRunResult] = useState<DryRunResult>()
  const [problem, setProblem] = useState('')
  const formId = useId()
  const address = api.address('POST /projects/{id}/security_reports', { path: { id: project.id } })

  async function send(
    { file, projectFiles, options }: Omit<DryRunResult, 'outcome'>,
    more: Record<string, string>,
    isDryRun: boolean,
  ): Promise<Import | undefined> {
    setProblem('')
    setProgress(0)
    // The file is the last field, because the server needs the options before it reads the file.
    const fields = { ...options, ...more, 'project_files[]': projectFiles, file }
    const post = (idempotencyKey?: string) => {
      const now = sendForm<Import>(address, fields, (sent, all) => setProgress(sent / all), idempotencyKey)
      setSending({ ...now, isDryRun })
      return now.response
    }
    try {
      // A dry run has no idempotency key: it changes nothing, and its result must be current.
      return await (isDryRun ? post() : keyring.get().use(contentOf([address, fields]), post))
    } catch (error) {
      setProblem((error as Error).message) // always an Error
      return undefined
    } finally {
      setSending(undefined)
    }
  }

  async function runDryRun(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (!file) return
    const options = optionsOf(new FormData(event.currentTarget), project, mayPromote)
    setDryRunResult(undefined)
    const outcome = await send({ file, projectFiles, options }, { dry_run: 'true' }, true)
    if (outcome) setDryRunResult({ file, projectFiles, options, outcome })
  }

  async function importReport(previewed: DryRunResult) {
    const report = await send(previewed, { async: 'true' }, false)
    if (!report) return
    void queries.invalidateQueries()
    navigate(to(`reports/${report.id}`))
  }

  return (
    <Page
      title={texts.importReport}
      crumbs={[{ label: texts.reports, to: to('reports') }]}
      lead={texts.previewTheChangesBefore}
    >
      <ForWriters>
        <form id={formId} className="stack" onSubmit={(event) => void runDryRun(event)}>
          <DropZone
            label={texts.dropAScannerReport}
            hint={texts.gitlabSarifCyclonedxSpdx(formatBytes(session.max_report_bytes))}
            icon={FileUp}
            onFiles={([chosen]) => {
              setFile(chosen)
              setDryRunResult(undefined)
              setProblem('')
            }}
          />
          {file && (
            <p>
              <strong>{file.name}</strong> <span className="muted">{formatBytes(file.size)}</span>
            </p>
          )}
          <Panel title={texts.importOptions}>
            <TextField
              label={texts.branch}
              name="ref"
              placeholder={project.default_branch ?? texts.main}
              hint={texts.theScannedBranchOnly}
            />
            <TextField
              label={texts.category}
              name="category"
              maxLength={255}
              hint={texts.separatesSeveralReportsOfOne}
            />
            <MappingField projectId={project.id} />
            <ProjectFilesField
              onFiles={(files) => {
                setProjectFiles(files)
                setDryRunResult(undefined)
              }}
            />
            {mayPromote && (
              <CheckField
                label={texts.createVulnerabilitiesAutomatically}
                name="promote"
                value="true"
                defaultChecked={project.promote_vulnerabilities_on_ingestion === true}
                hint={promotionHint(project.promote_vulnerabilities_on_ingestion === true)}
              />
            )}
            <CheckField label={texts.strictValidation} name="strict" value="true" hint={texts.rejectsTheReportIf} />
          </Panel>
          <div className="row-wrap">
            <Button
              type="submit"
              kind={dryRunResult ? 'plain' : 'primary'}
              disabled={!file}
              isBusy={sending?.isDryRun === true}
            >
              {texts.previewChanges}
            </Button>
          </div>
        </form>
        {sending && (
          <div className="row">
            <ProgressBar
              label={progress < 1 ? texts.uploadingReport : texts.processingReport}
              value={progress < 1 ? progress : undefined}
              max={1}
            />
            <Button size="small" onClick={sending.cancel}>
              {texts.cancel}
            </Button>
          </div>
        )}
        {problem && <ImportFailed problem={problem} />}
        {dryRunResult && (
          <section className="stack" aria-label={texts.previewOfChanges} aria-live="polite">
            <h2>{texts.previewOfChanges}</h2>
            <Outcome report={dryRunResult.outcome} />
            <div className="row-wrap">
              <Button
                kind="primary"
                isBusy={sending?.isDryRun === false}
                onClick={() => void importReport(dryRunResult)}
              >
                {dryRunResult.outcome.unchanged ? texts.importAnyway : texts.importLabel}
              </Button>
              <Button
                onClick={() => {
                  setDryRunResult(undefined)
                  setFile(undefined)
                }}
              >
                {texts.discard}
              </Button>
            </div>
          </section>
        )}
      </ForWriters>
    </Page>
  )
}

/** Choice of files of the repository that are sent with the report. */
function ProjectFilesField({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  return (
    <Field label={texts.filesOfTheRepository} hint={texts.codeownersAlcoveYmlAndIgnore}>
      {(ids) => <input {...ids} type="file" multiple onChange={({ target }) => onFiles([...(target.files ?? [])])} />}
    </Field>
  )
}

/** Choice of a stored mapping, if the project or a group above it has one. */
function MappingField({ projectId }: { projectId: number }) {
  const request = { path: { id: projectId }, query: { include_ancestors: true } }
  const { data = [] } = useApiQuery('GET /projects/{id}/report_mappings', request)
  if (data.length === 0) return null
  const names = [...new Set(data.map(({ name }) => name))]
  return (
    <SelectField
      label={texts.mapping}
      name="mapping"
      choices={[{ value: '', label: texts.none }, ...names.map((name) => ({ value: name, label: name }))]}
      hint={texts.theColumnsOrKeys}
    />
  )
}

const promotionHint = (isSetting: boolean) => (isSetting ? texts.appliesToTheDefault : texts.otherwiseNewFindingsAwait)

/** Reads the options. `promote` is sent if it differs from the project's setting, which applies to the default branch. */
function optionsOf(fields: FormData, project: Schemas['Project'], mayPromote: boolean): Record<string, string> {
  const promotes = fields.has('promote')
  const [ref, category, mapping] = ['ref', 'category', 'mapping'].map((name) => String(fields.get(name) ?? '').trim())
  return {
    ...(ref && { ref }),
    ...(category && { category }),
    ...(mapping && { mapping }),
    ...(fields.has('strict') && { strict: 'true' }),
    ...(mayPromote && promotes !== project.promote_vulnerabilities_on_ingestion && { promote: String(promotes) }),
  }
}
