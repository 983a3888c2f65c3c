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

/** Active sessions of the user. */
export function Browsers() {
  const isWriter = mayWrite(useSession())
  const query = useApiQuery('GET /-/sessions', {}, { isEnabled: isWriter })
  const end = useAction('DELETE /-/sessions/{id}', { done: 'Session revoked.' })
  const endOthers = useAction('DELETE /-/sessions/others', { done: 'All other sessions were signed out.' })
  if (!isWriter) {
    return (
      <Panel title="Active sessions">
        <TokenNotice what="It cannot list or revoke your other sessions." />
      </Panel>
    )
  }
  if (needsConfirmation(query.error)) {
    const show = async () => {
      if (await askForConfirmation()) await query.refetch()
    }
    return (
      <Panel title="Active sessions">
        <div className="row-wrap">
          <p>Confirm your identity to view and revoke your sessions.</p>
          <Button onClick={() => void show()}>Show sessions</Button>
        </div>
      </Panel>
    )
  }
  return (
    <>
      <Panel
        title="Active sessions"
        actions={
          (query.data?.length ?? 0) > 1 && (
            <Button size="small" isBusy={endOthers.isPending} onClick={() => endOthers.mutate({})}>
              Sign out all other sessions
            </Button>
          )
        }
      >
        <QueryResult query={query}>
          {(sessions) => (
            <Table
              label="Sessions"
              head={['Browser', 'IP address', 'Last used', 'Signed in', 'Expires', <Hidden key="end" />]}
            >
              {sessions.map((session) => {
                const name = browserFrom(session.user_agent)
                return (
                  <tr key={session.id}>
                    <td>
                      <span className="row-wrap" title={session.user_agent ?? undefined}>
                        {name}
                        {session.current && <Badge tone="accent">This device</Badge>}
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
                          aria-label={`Sign out ${name}, ${session.address ?? 'unknown IP address'}`}
                          isBusy={end.isPending && end.variables?.path.id === session.id}
                          onClick={() => end.mutate({ path: { id: session.id } })}
                        >
                          Sign out
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
  return <span className="visually-hidden">Actions</span>
}
