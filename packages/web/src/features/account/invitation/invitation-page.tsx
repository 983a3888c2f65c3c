import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { LinkButton } from '../../../components/button.tsx'
import { Mark } from '../../../components/mark.tsx'
import { useTitle } from '../../../components/page/page.tsx'
import { Empty, QueryResult } from '../../../components/page/states.tsx'
import { Day, Time } from '../../../components/time.tsx'
import { api, isFailure } from '../../../data/api.ts'
import { forgetInvitation, useInvitationSecret } from '../../../data/invitation-link.ts'
import { signInAddress } from '../../../data/own-address.ts'
import { useSession } from '../../../data/session.ts'
import { roleName } from '../../../nouns/member/roles.ts'
import { AcceptInvitation } from './accept-invitation.tsx'
import { CreateAccount } from './create-account.tsx'
import styles from './invitation.module.css'
import type { Invited } from './invited.ts'

/** Page of the link of an invitation. The secret is in the fragment (after #), so the browser does not send it. */
export function InvitationPage() {
  useTitle('Invitation')
  const secret = useInvitationSecret()
  if (secret === '') {
    return (
      <Empty title="Incomplete link" isPage>
        <p>The part after # is missing. Copy the complete link and open it again.</p>
      </Empty>
    )
  }
  return <OpenedInvitation key={secret} secret={secret} />
}

function OpenedInvitation({ secret }: { secret: string }) {
  const [isOver, setOver] = useState(false)
  const query = useQuery({
    queryKey: ['POST /-/invitations/open', secret],
    queryFn: () => api.call('POST /-/invitations/open', { body: { token: secret } }),
    // The server counts these requests as attempts to guess a link.
    staleTime: Number.POSITIVE_INFINITY,
    enabled: !isOver,
  })
  if (isOver || isFailure(query.error, 404)) return <LinkIsOver />
  return (
    <QueryResult query={query} isPage>
      {(invited) => <Invitation secret={secret} invited={invited} onOver={() => setOver(true)} />}
    </QueryResult>
  )
}

function LinkIsOver() {
  useEffect(forgetInvitation, [])
  return (
    <Empty title="This invitation is not valid" isPage>
      <p>
        The link was used, replaced or revoked, or it is older than 7 days. If you accepted this invitation, you are a
        member already. Otherwise ask for a new link.
      </p>
      <LinkButton to="/">Go to home</LinkButton>
    </Empty>
  )
}

function Invitation({ secret, invited, onOver }: { secret: string; invited: Invited; onOver: () => void }) {
  const { user } = useSession()
  return (
    <div className={styles.box}>
      <Mark size={48} />
      <div className={styles.head}>
        <h1>Join {invited.name}</h1>
        <p>
          {invited.created_by_name} invited you to this {invited.kind}.
        </p>
      </div>
      <div className={styles.card}>
        <Facts invited={invited} />
        {user && <AcceptInvitation secret={secret} invited={invited} onOver={onOver} />}
        {!user && !invited.may_create_account && <SignInFirst />}
      </div>
      {!user && invited.may_create_account && (
        <>
          <CreateAccount secret={secret} invited={invited} onOver={onOver} />
          <p className="row-wrap">
            Already have an account? <LinkButton to={signInAddress()}>Sign in to accept</LinkButton>
          </p>
        </>
      )}
    </div>
  )
}

function Facts({ invited }: { invited: Invited }) {
  const facts: readonly (readonly [string, ReactNode] | false)[] = [
    [invited.kind === 'group' ? 'Group' : 'Project', invited.full_path],
    ['Role', roleName(invited.access_level)],
    invited.expires_at !== null && ['Access ends', <Day key="day" of={invited.expires_at} />],
    ['Sent to', invited.invite_email],
    ['Link expires', <Time key="time" of={invited.link_expires_at} />],
  ]
  return (
    <dl className={styles.facts}>
      {facts
        .filter((fact) => fact !== false)
        .map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>])}
    </dl>
  )
}

function SignInFirst() {
  return (
    <>
      <LinkButton kind="primary" to={signInAddress()}>
        Sign in to accept
      </LinkButton>
      <p className="muted small">You need an account on this server. If you have none, ask an administrator.</p>
    </>
  )
}
