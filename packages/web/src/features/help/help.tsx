import { Link } from 'wouter'
import { CopyButton } from '../../components/copy-button.tsx'
import { fill } from '../../components/fill.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { useSession } from '../../data/session.ts'
import { KeyList } from '../vulnerabilities/triage/dialogs/keys-dialog.tsx'
import { triageKeysOf } from '../vulnerabilities/triage/list-keys.ts'
import { texts } from './texts.ts'

/** Keyboard shortcuts, and where the API, the command line and the changes are described. */
export function Help() {
  const { user } = useSession()
  const command = texts.npxHelp(location.origin)
  const display = user ? <Link to="/-/profile/display">{texts.displaySettings}</Link> : texts.displaySettings
  return (
    <Page title={texts.help}>
      <Panel title={texts.keyboardShortcuts}>
        <p className="muted">{fill(texts.shortcutsWorkInLists, { link: display })}</p>
        <KeyList keys={triageKeysOf(false)} />
      </Panel>
      <Panel title={texts.api}>
        <p>{fill(texts.theApiIsCompatible, { link: <Link to="/-/api">{texts.apiReference}</Link> })}</p>
        <p>
          <a href="/-/openapi.json" target="_blank" rel="noreferrer">
            {texts.openapiDocument}
          </a>
        </p>
      </Panel>
      <Panel title={texts.commandLine}>
        <p>{texts.sendReportsFromPipelines}</p>
        <p className="row-wrap">
          <code>{command}</code>
          <CopyButton text={command} label={texts.copyCommand} isIcon />
        </p>
      </Panel>
      <Panel title={texts.documentation}>
        <p>
          <Link to="/-/help/changes">{texts.whatsNew}</Link>
        </p>
        <p>{texts.operatorsFindTheDocuments}</p>
      </Panel>
    </Page>
  )
}
