import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { Answered } from '../../components/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, useAnswer } from '../../data/api.ts'
import { askForConfirmation, needsConfirmation } from '../../data/confirmation.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import { browserFrom } from './browser-name.ts'
import { TokenNotice } from './signed-in.tsx'

/** The browsers that the user is signed in with. */
export function Browsers() {
  const isWriter = mayWrite(useSession())
  const query = useAnswer('GET /-/sessions', {}, { isEnabled: isWriter })
  const end = useAction('DELETE /-/sessions/{id}', { done: 'That browser is signed out.' })
  if (!isWriter) {
    return (
      <Panel title="Where you are signed in">
        <TokenNotice what="It cannot see or sign out your other browsers." />
      </Panel>
    )
  }
  if (needsConfirmation(query.error)) {
    const show = async () => {
      if (await askForConfirmation()) await query.refetch()
    }
    return (
      <Panel title="Where you are signed in">
        <div className="row-wrap">
          <p>To see and sign out your browsers, confirm who you are.</p>
          <Button onClick={() => void show()}>Show browsers</Button>
        </div>
      </Panel>
    )
  }
  return (
    <Panel title="Where you are signed in">
      <Answered query={query}>
        {(sessions) => (
          <Table label="Browsers" head={['Browser', 'Address', 'Last used', 'Signed in', 'Ends', <Hidden key="end" />]}>
            {sessions.map((session) => {
              const name = browserFrom(session.user_agent)
              return (
                <tr key={session.id}>
                  <td>
                    <span className="row-wrap" title={session.user_agent ?? undefined}>
                      {name}
                      {session.current && <Badge tone="accent">This one</Badge>}
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
                        aria-label={`Sign out ${name}, ${session.address ?? 'no address'}`}
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
      </Answered>
    </Panel>
  )
}

function Hidden() {
  return <span className="visually-hidden">Signing out</span>
}
