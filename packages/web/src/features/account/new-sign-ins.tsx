import { Badge } from '../../components/badge.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import styles from '../../components/page/notice.module.css'
import { Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import { browserFrom } from './browser-name.ts'

/** Notice about sign-ins from new browsers, until the user dismisses it. */
export function NewSignInNotice() {
  const session = useSession()
  const dismiss = useAction('POST /-/sign_ins/{id}/dismiss')
  const [newest] = session.new_sign_ins
  if (!newest) return null
  return (
    <section className={styles.notice} aria-label="New sign-ins">
      <div className="stack-tight">
        {session.new_sign_ins.map(({ id, user_agent: agent, address, created_at: at }) => (
          <p key={id}>
            New sign-in to your account: {browserFrom(agent)}, {address ?? 'unknown IP address'}, <Time of={at} />
          </p>
        ))}
        <p className="small">If this was not you, change your password and sign out all other sessions.</p>
      </div>
      <div className="row-wrap">
        <LinkButton size="small" to="/-/profile">
          Review sessions
        </LinkButton>
        {mayWrite(session) && (
          <Button size="small" isBusy={dismiss.isPending} onClick={() => dismiss.mutate({ path: { id: newest.id } })}>
            Dismiss
          </Button>
        )}
      </div>
    </section>
  )
}

/** Sign-ins of the user from browsers that they had not used before. */
export function NewSignIns() {
  const query = useApiQuery('GET /-/sign_ins', {})
  return (
    <Panel title="Sign-ins from new browsers">
      <QueryResult query={query}>
        {(signIns) =>
          signIns.length === 0 ? (
            <p className="muted">No sign-ins from new browsers.</p>
          ) : (
            <Table label="Recent sign-ins" head={['Browser', 'IP address', 'Signed in', 'Session']}>
              {signIns.map(({ id, user_agent: agent, address, created_at: at, is_signed_in: isActive }) => (
                <tr key={id}>
                  <td title={agent ?? undefined}>{browserFrom(agent)}</td>
                  <td className="numbers">{address ?? '–'}</td>
                  <td>
                    <Time of={at} />
                  </td>
                  <td>{isActive ? <Badge tone="success">Active</Badge> : <span className="muted">Ended</span>}</td>
                </tr>
              ))}
            </Table>
          )
        }
      </QueryResult>
    </Panel>
  )
}
