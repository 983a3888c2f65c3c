import { Badge } from '../../components/badge.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import { fill } from '../../components/fill.tsx'
import styles from '../../components/page/notice.module.css'
import { Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { mayWrite, type SessionState, useSession } from '../../data/session.ts'
import { browserFrom } from './browser-name.ts'
import { texts } from './texts.ts'

/** Notice about sign-ins from new browsers, until the user dismisses it. */
export function NewSignInNotice() {
  const session = useSession()
  const dismiss = useAction('POST /-/sign_ins/{id}/dismiss')
  const [newest] = session.new_sign_ins
  if (!newest) return null
  return (
    <section className={styles.notice} aria-label={texts.newSignIns}>
      <div className="stack-tight">
        {withoutRepeats(session.new_sign_ins).map(({ id, user_agent: agent, address, created_at: at }) => (
          <p key={id}>
            {fill(texts.newSignInToYourAccount, {
              browserFrom: browserFrom(agent),
              address: address ?? texts.unknownIpAddress,
              time: <Time of={at} />,
            })}
          </p>
        ))}
        <p className="small">{texts.ifThisWasNotYou}</p>
      </div>
      <div className="row-wrap">
        <LinkButton size="small" to="/-/profile">
          {texts.reviewSessions}
        </LinkButton>
        {mayWrite(session) && (
          <Button size="small" isBusy={dismiss.isPending} onClick={() => dismiss.mutate({ path: { id: newest.id } })}>
            {texts.dismiss}
          </Button>
        )}
      </div>
    </section>
  )
}

type NewSignIn = SessionState['new_sign_ins'][number]

/** Returns the newest sign-in of each browser and address. */
function withoutRepeats(signIns: readonly NewSignIn[]): NewSignIn[] {
  const isSame = (one: NewSignIn, other: NewSignIn) =>
    one.user_agent === other.user_agent && one.address === other.address
  return signIns.filter((signIn, index) => signIns.findIndex((other) => isSame(other, signIn)) === index)
}

/** Sign-ins of the user from browsers that they had not used before. */
export function NewSignIns() {
  const query = useApiQuery('GET /-/sign_ins', {})
  return (
    <Panel title={texts.signInsFromNew}>
      <QueryResult query={query}>
        {(signIns) =>
          signIns.length === 0 ? (
            <p className="muted">{texts.noSignInsFromNew}</p>
          ) : (
            <Table label={texts.recentSignIns} head={[texts.browser, texts.ipAddress, texts.signedIn, texts.session]}>
              {signIns.map(({ id, user_agent: agent, address, created_at: at, is_signed_in: isActive }) => (
                <tr key={id}>
                  <td title={agent ?? undefined}>{browserFrom(agent)}</td>
                  <td className="numbers">{address ?? '–'}</td>
                  <td>
                    <Time of={at} />
                  </td>
                  <td>
                    {isActive ? (
                      <Badge tone="success">{texts.active}</Badge>
                    ) : (
                      <span className="muted">{texts.ended}</span>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </QueryResult>
    </Panel>
  )
}
