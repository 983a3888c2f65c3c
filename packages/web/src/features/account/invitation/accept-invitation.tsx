import { useLocation } from 'wouter'
import { Button, LinkButton } from '../../../components/button.tsx'
import { Problem } from '../../../components/form/problem.tsx'
import { isFailure, useAction } from '../../../data/api.ts'
import { forgetInvitation } from '../../../data/invitation-link.ts'
import { twoFactorPath } from '../../../data/own-address.ts'
import { mayWrite, useSession, useUser } from '../../../data/session.ts'
import { texts } from '../texts.ts'
import { type Invited, invitedAddress } from './invited.ts'

/** Button with which a signed-in user accepts an invitation, or what prevents it. */
export function AcceptInvitation({
  secret,
  invited,
  onOver,
}: {
  secret: string
  invited: Invited
  /** Called when the link has become invalid. */
  onOver: () => void
}) {
  const [, navigate] = useLocation()
  const session = useSession()
  const user = useUser()
  const accept = useAction('POST /-/invitations/accept', {
    done: texts.youAreNowAMember(invited.name),
    isLeaving: true,
    onDone(joined) {
      forgetInvitation()
      navigate(invitedAddress(joined), { replace: true })
    },
    onFailed: (error) => isFailure(error, 404) && onOver(),
  })
  if (session.must_set_up_second_factor) {
    return (
      <>
        <p>{texts.thisServerRequiresTwo}</p>
        <LinkButton kind="primary" to={twoFactorPath}>
          {texts.setUpTwoFactor}
        </LinkButton>
      </>
    )
  }
  if (!mayWrite(session)) {
    return <p>{texts.youSignedInWithARead}</p>
  }
  const isMember = isFailure(accept.error, 409)
  return (
    <>
      <Problem text={accept.error ? sentenceOf(accept.error, invited) : ''} />
      {isMember ? (
        <LinkButton kind="primary" to={invitedAddress(invited)}>
          {texts.open(invited.name)}
        </LinkButton>
      ) : (
        <Button kind="primary" isBusy={accept.isPending} onClick={() => accept.mutate({ body: { token: secret } })}>
          {texts.acceptInvitation}
        </Button>
      )}
      <p className="muted small">{texts.youAreSignedInAsToUse(user.name, user.username)}</p>
    </>
  )
}

function sentenceOf(error: Error, { kind, name, created_by_name: inviter }: Invited): string {
  if (isFailure(error, 409)) return texts.youAreAlreadyAMember(kind, name)
  if (isFailure(error, 403)) return texts.canNoLongerGrant(inviter)
  return error.message
}
