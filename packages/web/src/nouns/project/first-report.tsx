import { useState } from 'react'
import { Button, LinkButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { fill } from '../../components/fill.tsx'
import { SelectField } from '../../components/form/field.tsx'
import { lazyComponent, nothingYet } from '../../components/lazy-component.tsx'
import { isUnlimited, levels, useSession } from '../../data/session.ts'
import { NewToken } from '../token/token-fields.tsx'
import styles from './first-report.module.css'
import { fileOf, type Pipeline, pipelineSnippet, pipelines, secretOf } from './pipeline-snippets.ts'
import type { Project } from './project.ts'
import { curlCommand, uploadCommand } from './report-commands.ts'
import { texts } from './texts.ts'

const CreateBotToken = lazyComponent(async () => (await import('../token/create-token.tsx')).CreateBotToken, nothingYet)
const CreatePersonalToken = lazyComponent(
  async () => (await import('../token/create-token.tsx')).CreatePersonalToken,
  nothingYet,
)

/** Commands that send the first report to this server, and a dialog that creates the token they need. */
export function FirstReport({
  project,
  createsIn,
}: {
  project?: Pick<Project, 'id' | 'name' | 'path_with_namespace'> & { level: number }
  /** Path of the group or user in which the command also creates the project. */
  createsIn?: string | undefined
}) {
  const [issued, setIssued] = useState<{ name: string; token: string }>()
  const path = project?.path_with_namespace ?? `${createsIn ?? 'group'}/project`
  const target = { path, token: issued?.token, isCreating: createsIn !== undefined }
  // Creating a project needs more than the right to send reports.
  const scope = createsIn ? 'api' : 'write_security_reports'
  return (
    <div className={styles.commands}>
      <p>{texts.orSendAReport}</p>
      {issued && <NewToken issued={issued} onClose={() => setIssued(undefined)} />}
      <Command label={texts.commandLine} text={uploadCommand(target)} />
      <Command label={texts.curl} text={curlCommand(target)} />
      <PipelineExample project={path} />
      {!issued && <TokenButton project={project} scope={scope} onIssued={setIssued} />}
    </div>
  )
}

/** Button that creates an access token of the project if the user may, else one of their own. */
function TokenButton({
  project,
  scope,
  onIssued,
}: {
  project: (Pick<Project, 'id' | 'name'> & { level: number }) | undefined
  scope: 'api' | 'write_security_reports'
  onIssued: (issued: { name: string; token: string }) => void
}) {
  const session = useSession()
  const [isCreating, setCreating] = useState(false)
  const preset = { name: 'security-reports', scopes: [scope] }
  const common = { preset, onIssued, onClose: () => setCreating(false) }
  const ofProject = project && project.level >= levels.maintainer ? project : undefined
  return (
    <p>
      {ofProject || isUnlimited(session) ? (
        <Button size="small" onClick={() => setCreating(true)}>
          {texts.createToken}
        </Button>
      ) : (
        <LinkButton size="small" to="/-/profile/tokens">
          {texts.createToken}
        </LinkButton>
      )}{' '}
      {fill(texts.theScopeIsEnough, { code: <code>{scope}</code> })}
      {isCreating &&
        (ofProject ? (
          <CreateBotToken {...common} place={{ noun: 'project', ...ofProject }} />
        ) : (
          <CreatePersonalToken {...common} />
        ))}
    </p>
  )
}

/** Example of a pipeline, for the CI system that the user chooses. */
function PipelineExample({ project }: { project: string }) {
  const [pipeline, setPipeline] = useState<Pipeline>('GitHub Actions')
  return (
    <div className="stack-tight">
      <SelectField
        label={texts.pipeline}
        value={pipeline}
        choices={pipelines.map((name) => ({ value: name, label: name }))}
        onChoose={setPipeline}
        hint={fill(texts.addThisTo, { code: <code>{fileOf[pipeline]}</code>, secretOf: secretOf[pipeline] })}
      />
      <Command label={pipeline} text={pipelineSnippet(pipeline, project)} />
    </div>
  )
}

function Command({ label, text }: { label: string; text: string }) {
  return (
    <div className={styles.command}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section aria-label={label} tabIndex={0} className={styles.text}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
      <CopyButton text={text} label={texts.copyExample(label)} isIcon />
    </div>
  )
}
