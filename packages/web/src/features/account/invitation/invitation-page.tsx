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
import { texts } from '../texts.ts'
import { AcceptInvitation } from './accept-invitation.tsx'
import { CreateAccount } from './create-account.tsx'
import styles from './invitation.module.css'
import type { Invited } from './invited.ts'

/** Page of the link of an invitation. The secret is in the fragment (after #), so the browser does not send it. */
export function InvitationPage() {
  useTitle(texts.invitation)
  const secret = useInvitationSecret()
  if (secret === '') {
    return (
      <Empty title={texts.incompleteLink} isPage>
        <p>{texts.thePartAfterIsMissing}</p>
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
    <Empty title={texts.thisInvitationIsNotValid} isPage>
      <p>{texts.theLinkWasUsed}</p>
      <LinkButton to="/">{texts.goToHome}</LinkButton>
    </Empty>
  )
}

function Invitation({ secret, invited, onOver }: { secret: string; invited: Invited; onOver: () => void }) {
  const { user } = useSession()
  return (
    <div className={styles.box}>
      <Mark size={48} />
      <div className={styles.head}>
        <h1>{texts.join(invited.name)}</h1>
        <p>{texts.invitedYouToThis(invited.created_by_name, invited.kind)}</p>
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
            {texts.alreadyHaveAnAccount} <LinkButton to={signInAddress()}>{texts.signInToAccept}</LinkButton>
          </p>
        </>
      )}
    </div>
  )
}

function Facts({ invited }: { invited: Invited }) {
  const facts: readonly (readonly [string, ReactNode] | false)[] = [
    [invited.kind === 'group' ? texts.group : texts.project, invited.full_path],
    [texts.role, roleName(invited.access_level)],
    invited.expires_at !== null && [texts.accessEnds, <Day key="day" of={invited.expires_at} />],
    [texts.sentTo, invited.invite_email],
    [texts.linkExpires, <Time key="time" of={invited.link_expires_at} />],
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
        {texts.signInToAccept}
      </LinkButton>
      <p className="muted small">{texts.youNeedAnAccount}</p>
    </>
  )
}
