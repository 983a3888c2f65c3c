import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { askForConfirmation, needsConfirmation } from '../../data/confirmation.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import { browserFrom } from './browser-name.ts'
import { NewSignIns } from './new-sign-ins.tsx'
import { TokenNotice } from './signed-in.tsx'
import { texts } from './texts.ts'

/** Active sessions of the user. */
export function Browsers() {
  const isWriter = mayWrite(useSession())
  const query = useApiQuery('GET /-/sessions', {}, { isEnabled: isWriter })
  const end = useAction('DELETE /-/sessions/{id}', { done: texts.sessionRevoked })
  const endOthers = useAction('DELETE /-/sessions/others', { done: texts.allOtherSessionsWere })
  if (!isWriter) {
    return (
      <Panel title={texts.activeSessions}>
        <TokenNotice what={texts.itCannotListOrRevoke} />
      </Panel>
    )
  }
  if (needsConfirmation(query.error)) {
    const show = async () => {
      if (await askForConfirmation()) await query.refetch()
    }
    return (
      <Panel title={texts.activeSessions}>
        <div className="row-wrap">
          <p>{texts.confirmYourIdentityToView}</p>
          <Button onClick={() => void show()}>{texts.showSessions}</Button>
        </div>
      </Panel>
    )
  }
  return (
    <>
      <Panel
        title={texts.activeSessions}
        actions={
          (query.data?.length ?? 0) > 1 && (
            <Button size="small" isBusy={endOthers.isPending} onClick={() => endOthers.mutate({})}>
              {texts.signOutAllOther}
            </Button>
          )
        }
      >
        <QueryResult query={query}>
          {(sessions) => (
            <Table
              label={texts.sessions}
              head={[
                texts.browser,
                texts.ipAddress,
                texts.lastUsed,
                texts.signedIn,
                texts.expires,
                <Hidden key="end" />,
              ]}
            >
              {sessions.map((session) => {
                const name = browserFrom(session.user_agent)
                return (
                  <tr key={session.id}>
                    <td>
                      <span className="row-wrap" title={session.user_agent ?? undefined}>
                        {name}
                        {session.current && <Badge tone="accent">{texts.thisDevice}</Badge>}
                      </span>
                    </td>
                    <td className="numbers">{session.address ?? '–'}</td>
                    <td>{session.last_used_at ? <Time of={session.last_used_at} /> : '–'}</td>
                    <td>
                      <Time of={session.created_at} />
                    </td>
                    <td>
                      <Time of={session.expires_at} />
                    </td>
                    <td>
                      {!session.current && (
                        <Button
                          size="small"
                          aria-label={texts.signOutName(name, session.address ?? texts.unknownIpAddress)}
                          isBusy={end.isPending && end.variables?.path.id === session.id}
                          onClick={() => end.mutate({ path: { id: session.id } })}
                        >
                          {texts.signOut}
                        </Button>
                      )}
                    </td>
                  </tr>
                )
              })}
            </Table>
          )}
        </QueryResult>
      </Panel>
      {query.isSuccess && <NewSignIns />}
    </>
  )
}

function Hidden() {
  return <span className="visually-hidden">{texts.actions}</span>
}
