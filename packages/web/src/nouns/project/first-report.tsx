import { LinkButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import styles from './first-report.module.css'

/** Commands that send the first report to this server, and a link to the tokens they need. */
export function FirstReport({
  project,
  tokens,
  isCreated = false,
}: {
  /** Full path. */
  project: string
  /** Address of the page that creates tokens. */
  tokens: string
  /** True: the command also creates the project. */
  isCreated?: boolean
}) {
  const { origin } = location
  const upload = [
    `export ALCOVE_URL=${origin} ALCOVE_TOKEN=<token>`,
    `npx alcove upload --project ${project} --ref main report.json`,
  ].join('\n')
  const curl = [
    'curl --header "PRIVATE-TOKEN: <token>" --form file=@report.json \\',
    `  ${isCreated ? '--form create=true ' : ''}${origin}/api/v4/projects/${encodeURIComponent(project)}/security_reports`,
  ].join('\n')
  return (
    <div className={styles.commands}>
      <p>Or send a report from a pipeline or a terminal:</p>
      <Command label="Command line" text={upload} />
      <Command label="curl" text={curl} />
      <p>
        <LinkButton size="small" to={tokens}>
          Create token
        </LinkButton>{' '}
        The scope <code>write_security_reports</code> is enough.
      </p>
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
      <CopyButton text={text} label={`Copy ${label} example`} isIcon />
    </div>
  )
}
