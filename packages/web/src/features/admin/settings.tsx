import type { Schemas } from '@alcove/client'
import { Badge } from '../../components/badge.tsx'
import { fill } from '../../components/fill.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { useApiQuery } from '../../data/api.ts'
import styles from './settings.module.css'
import { texts } from './texts.ts'

type Setting = Schemas['Setting']

/** Read-only list of the settings of the server. */
export function Settings() {
  const query = useApiQuery('GET /admin/settings', {})
  return (
    <Page title={texts.settings} lead={texts.settingsAreEnvironmentVariables}>
      <QueryResult query={query}>
        {(settings) => (
          <>
            {[...new Set(settings.map(({ group }) => group))].map((group) => (
              <Panel key={group} title={group}>
                <dl className={styles.settings}>
                  {settings
                    .filter((setting) => setting.group === group)
                    .map((setting) => (
                      <div key={setting.variable} className={styles.setting}>
                        <dt>
                          <code className={styles.variable}>{setting.variable}</code>
                          <p className="muted small">{setting.description}</p>
                        </dt>
                        <dd className={styles.value}>
                          <Value setting={setting} />
                        </dd>
                      </div>
                    ))}
                </dl>
              </Panel>
            ))}
          </>
        )}
      </QueryResult>
    </Page>
  )
}

function Value({ setting }: { setting: Setting }) {
  if (setting.is_secret) return setting.is_set ? <Badge tone="info">{texts.setHidden}</Badge> : <NotSet />
  return (
    <>
      {setting.value === null ? <NotSet /> : <code className={styles.text}>{setting.value}</code>}
      {!setting.is_default && (
        <span className="row-wrap">
          <Badge tone="accent">{texts.changed}</Badge>
          <span className="muted small">
            {fill(texts.defaultLabel, {
              defaultValue: setting.default === null ? texts.notSet : <code>{setting.default}</code>,
            })}
          </span>
        </span>
      )}
    </>
  )
}

function NotSet() {
  return <span className="muted">{texts.notSet2}</span>
}
