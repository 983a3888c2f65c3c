import type { Schemas } from '@alcove/client'
import { FileCheck } from 'lucide-react'
import { type FormEvent, useContext, useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../components/button.tsx'
import { DropZone } from '../../components/form/drop-zone.tsx'
import { CheckField, TextField } from '../../components/form/field.tsx'
import { ForWriters } from '../../components/form/for-writers.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { api, queries } from '../../data/api.ts'
import { sendForm } from '../../data/send-form.ts'
import { useToast } from '../../data/toasts.ts'
import { GroupContext } from '../../nouns/group/group.ts'
import { ProjectContext } from '../../nouns/project/project.ts'
import { ImportFailed } from './import-failed.tsx'
import { texts } from './texts.ts'

type VexImport = Schemas['VexImport']

interface Preview {
  file: File
  options: Record<string, string>
  result: VexImport
}

function usePlace() {
  const project = useContext(ProjectContext)
  const group = useContext(GroupContext)
  if (project) {
    const address = api.address('POST /projects/{id}/vex', { path: { id: project.project.id } })
    return { address, crumb: { label: texts.reports, to: project.to('reports') }, noun: 'project' }
  }
  if (!group) throw new Error('this page must be inside a project or a group')
  const address = api.address('POST /groups/{id}/vex', { path: { id: group.group.id } })
  return { address, crumb: { label: texts.vulnerabilities, to: group.to('vulnerabilities') }, noun: 'group' }
}

/** Imports a VEX document in two steps: a preview of each statement's effect, then the import. */
export function ImportVex() {
  const { address, crumb, noun } = usePlace()
  const toast = useToast()
  const [file, setFile] = useState<File>()
  const [preview, setPreview] = useState<Preview>()
  const [problem, setProblem] = useState('')
  const [isBusy, setIsBusy] = useState(false)

  async function send(file: File, options: Record<string, string>): Promise<VexImport | undefined> {
    setProblem('')
    setIsBusy(true)
    try {
      return await sendForm<VexImport>(address, { ...options, file }, () => {}).response
    } catch (error) {
      setProblem((error as Error).message) // always an Error
      return undefined
    } finally {
      setIsBusy(false)
    }
  }

  async function runPreview(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (!file) return
    const fields = new FormData(event.currentTarget)
    const ref = String(fields.get('ref') ?? '').trim()
    const options = { ...(ref && { ref }), ...(fields.has('override') && { override: 'true' }) }
    setPreview(undefined)
    const result = await send(file, { ...options, dry_run: 'true' })
    if (result) setPreview({ file, options, result })
  }

  async function importDocument({ file, options }: Preview) {
    const result = await send(file, options)
    if (!result) return
    void queries.invalidateQueries()
    const awaiting = result.requested > 0 ? texts.awaitApproval(result.requested) : ''
    const changed = texts.vulnerabilitiesChanged(result.changed)
    toast({ text: texts.changedChanged(changed, awaiting) })
    setPreview(undefined)
    setFile(undefined)
  }

  const choose = (chosen: File | undefined) => {
    setFile(chosen)
    setPreview(undefined)
    setProblem('')
  }
  return (
    <Page
      title={texts.importVex}
      crumbs={[crumb]}
      lead={noun === 'project' ? texts.applyTheStatementsOfAVex : texts.applyTheStatementsOfAVexDocument}
    >
      <ForWriters>
        <form className="stack" onSubmit={(event) => void runPreview(event)}>
          <DropZone
            label={texts.dropAVexDocument}
            hint={texts.openvexCyclonedxWithAnalyses}
            icon={FileCheck}
            onFiles={([chosen]) => choose(chosen)}
          />
          {file && <strong>{file.name}</strong>}
          <Panel title={texts.importOptions}>
            <TextField label={texts.branch} name="ref" hint={texts.leaveEmptyForTheDefault} />
            <CheckField
              label={texts.overrideLaterDecisions}
              name="override"
              value="true"
              hint={texts.alsoChangesVulnerabilitiesOnWhich}
            />
          </Panel>
          <div className="row-wrap">
            <Button type="submit" kind={preview ? 'plain' : 'primary'} disabled={!file} isBusy={isBusy && !preview}>
              {texts.previewChanges}
            </Button>
          </div>
        </form>
        {problem && <ImportFailed problem={problem} />}
        {preview && (
          <section className="stack" aria-label={texts.previewOfChanges} aria-live="polite">
            <h2>{texts.previewOfChanges}</h2>
            <Summary result={preview.result} />
            <Effects effects={preview.result.effects} hasProjects={noun === 'group'} />
            <div className="row-wrap">
              <Button
                kind="primary"
                isBusy={isBusy}
                disabled={preview.result.changed + preview.result.requested === 0}
                onClick={() => void importDocument(preview)}
              >
                {texts.importLabel}
              </Button>
              <Button onClick={() => choose(undefined)}>{texts.discard}</Button>
            </div>
          </section>
        )}
      </ForWriters>
    </Page>
  )
}

function Summary({ result }: { result: VexImport }) {
  const { statements, changed, requested, unchanged, kept, refused, unmatched } = result
  const parts = [
    texts.statementsStatements(statements),
    texts.vulnerabilitiesChange(changed),
    requested > 0 && texts.dismissalsNeedApproval(requested),
    texts.stayAsTheyAre(unchanged),
    kept > 0 && texts.keepALaterDecision(kept),
    refused > 0 && texts.areRefusedBecauseYou(refused),
    unmatched > 0 && texts.statementsMatchNothing(unmatched),
  ]
  return <p>{parts.filter(Boolean).join(' · ')}</p>
}

const actions = {
  dismiss: texts.dismiss,
  resolve: texts.resolve,
  confirm: texts.confirm,
  none: texts.noChange,
} as const
const maxShown = 200

function Effects({ effects, hasProjects }: { effects: Schemas['VexEffect'][]; hasProjects: boolean }) {
  return (
    <table aria-label={texts.statements}>
      <thead>
        <tr>
          <th scope="col">{texts.statement}</th>
          {hasProjects && <th scope="col">{texts.project}</th>}
          <th scope="col">{texts.effect}</th>
          <th scope="col">{texts.reason}</th>
          <th scope="col">{texts.vulnerabilities}</th>
        </tr>
      </thead>
      <tbody>
        {effects.slice(0, maxShown).map((effect) => (
          <tr key={`${effect.project_id} ${effect.pointer} ${effect.justification} ${effect.components.join(' ')}`}>
            <td>
              {effect.vulnerability ?? effect.pointer}
              <div className="muted small">{effect.components.join(', ')}</div>
            </td>
            {hasProjects && <td>{effect.project_path ?? '–'}</td>}
            <td>
              {effect.refused > 0 && effect.action === 'none' ? texts.refused : actions[effect.action]}
              {effect.dismissal_reason && (
                <div className="muted small">{effect.dismissal_reason.replaceAll('_', ' ')}</div>
              )}
            </td>
            <td>{effect.reason}</td>
            <td>
              {effect.vulnerabilities.map(({ id, title }) => (
                <div key={id}>
                  <Link to={`/${effect.project_path}/-/vulnerabilities/${id}`}>{title}</Link>
                </div>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
