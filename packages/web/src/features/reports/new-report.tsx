import type { Schemas } from '@alcove/client'
import { FileUp } from 'lucide-react'
import { type FormEvent, useEffect, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../components/button.tsx'
import { DropZone } from '../../components/drop-zone.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { ForWriters } from '../../components/for-writers.tsx'
import { formatBytes } from '../../components/format.ts'
import { Page, Panel } from '../../components/page.tsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { queries } from '../../data/api.ts'
import { contentOf, createKeyring } from '../../data/idempotency-keys.ts'
import { type Sending, sendForm } from '../../data/send-form.ts'
import { useSession } from '../../data/session.ts'
import { useProject } from '../../nouns/project/project.ts'
import { forgetHandedOver, handedOver } from './dropped-report.ts'
import { Outcome } from './outcome.tsx'

type Import = Schemas['Import']

interface Rehearsed {
  file: File
  options: Record<string, string>
  outcome: Import
}

// Outside of React: the same file may be sent again after the user has left the page and returned.
const keyring = createKeyring()

/** A report is dropped, what it would change is shown, and only then is it taken in. */
export function NewReport() {
  const { project, level, to } = useProject()
  const session = useSession()
  const mayPromote = level >= session.triage_access_level
  const [, navigate] = useLocation()
  const [file, setFile] = useState(handedOver)
  useEffect(forgetHandedOver, [])
  const [sending, setSending] = useState<Sending<Import> & { isDryRun: boolean }>()
  const [progress, setProgress] = useState(0)
  const [rehearsed, setRehearsed] = useState<Rehearsed>()
  const [problem, setProblem] = useState('')
  const formId = useId()
  const address = `/api/v4/projects/${project.id}/security_reports`

  async function send(report: File, options: Record<string, string>, isDryRun: boolean): Promise<Import | undefined> {
    setProblem('')
    setProgress(0)
    // The file comes last: the server reads it only when it knows the options.
    const fields = { ...options, file: report }
    const post = (idempotencyKey?: string) => {
      const now = sendForm<Import>(address, fields, (sent, all) => setProgress(sent / all), idempotencyKey)
      setSending({ ...now, isDryRun })
      return now.answer
    }
    try {
      // A dry run changes nothing, and its result must not be that of an earlier try.
      return await (isDryRun ? post() : keyring.use(contentOf([address, fields]), post))
    } catch (error) {
      setProblem((error as Error).message) // nothing else is thrown here
      return undefined
    } finally {
      setSending(undefined)
    }
  }

  async function rehearse(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (!file) return
    const options = optionsOf(new FormData(event.currentTarget), mayPromote)
    setRehearsed(undefined)
    const outcome = await send(file, { ...options, dry_run: 'true' }, true)
    if (outcome) setRehearsed({ file, options, outcome })
  }

  async function take({ file, options }: Rehearsed) {
    const report = await send(file, { ...options, async: 'true' }, false)
    if (!report) return
    void queries.invalidateQueries()
    navigate(to(`reports/${report.id}`))
  }

  return (
    <Page
      title="Import report"
      crumbs={[{ label: 'Reports', to: to('reports') }]}
      lead="First you see what it would change. Nothing changes until you say so."
    >
      <ForWriters>
        <form id={formId} className="stack" onSubmit={(event) => void rehearse(event)}>
          <DropZone
            label="The report of a scanner"
            hint={`GitLab, SARIF, CycloneDX, Trivy, Grype, Semgrep or gitleaks; plain or packed with gzip; up to ${formatBytes(session.max_report_bytes)}.`}
            icon={FileUp}
            onFiles={([chosen]) => {
              setFile(chosen)
              setRehearsed(undefined)
              setProblem('')
            }}
          />
          {file && (
            <p>
              <strong>{file.name}</strong> <span className="muted">{formatBytes(file.size)}</span>
            </p>
          )}
          <Panel title="How to take it in">
            <TextField
              label="Branch"
              name="ref"
              placeholder={project.default_branch ?? 'main'}
              hint="What the scanner looked at. Only this branch’s findings change. Blank: the default branch."
            />
            <TextField
              label="Category"
              name="category"
              maxLength={255}
              hint="For several reports of one scanner, such as one for each image or folder, under the same name every time: what other categories found stays. Blank: the report is about the whole branch."
            />
            {mayPromote && (
              <CheckField
                label="Promote new findings to vulnerabilities"
                name="promote"
                value="true"
                defaultChecked={project.promote_vulnerabilities_on_ingestion === true}
                hint="Otherwise they stay under Findings until a user promotes them."
              />
            )}
            <CheckField
              label="Refuse the report if it violates its format anywhere"
              name="strict"
              value="true"
              hint="Otherwise what can be read is read, and the rest is listed."
            />
          </Panel>
          <div className="row-wrap">
            <Button
              type="submit"
              kind={rehearsed ? 'plain' : 'primary'}
              disabled={!file}
              isBusy={sending?.isDryRun === true}
            >
              See what it would change
            </Button>
          </div>
        </form>
        {sending && (
          <div className="row">
            <ProgressBar
              label={progress < 1 ? 'Sending the report' : 'Reading the report'}
              value={progress < 1 ? progress : undefined}
              max={1}
            />
            <Button size="small" onClick={sending.cancel}>
              Cancel
            </Button>
          </div>
        )}
        {problem && (
          <div role="alert">
            <Panel title="This report cannot be taken in">
              <p>{problem}</p>
            </Panel>
          </div>
        )}
        {rehearsed && (
          <section className="stack" aria-label="What this report would change" aria-live="polite">
            <h2>What it would change</h2>
            <Outcome report={rehearsed.outcome} />
            <div className="row-wrap">
              <Button kind="primary" isBusy={sending?.isDryRun === false} onClick={() => void take(rehearsed)}>
                {rehearsed.outcome.unchanged ? 'Take it in all the same' : 'Take it in'}
              </Button>
              <Button
                onClick={() => {
                  setRehearsed(undefined)
                  setFile(undefined)
                }}
              >
                Not this one
              </Button>
            </div>
          </section>
        )}
      </ForWriters>
    </Page>
  )
}

/** Sends `promote` either way, because the project's default may differ; users who may not promote leave it to that. */
function optionsOf(fields: FormData, mayPromote: boolean): Record<string, string> {
  const [ref, category] = ['ref', 'category'].map((name) => String(fields.get(name) ?? '').trim())
  return {
    ...(ref && { ref }),
    ...(category && { category }),
    ...(fields.has('strict') && { strict: 'true' }),
    ...(mayPromote && { promote: String(fields.has('promote')) }),
  }
}
