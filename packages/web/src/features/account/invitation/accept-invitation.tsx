import { useLocation } from 'wouter'
import { Button, LinkButton } from '../../../components/button.tsx'
import { Problem } from '../../../components/form/problem.tsx'
import { isFailure, useAction } from '../../../data/api.ts'
import { forgetInvitation } from '../../../data/invitation-link.ts'
import { twoFactorPath } from '../../../data/own-address.ts'
import { mayWrite, useSession, useUser } from '../../../data/session.ts'
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
    done: `You are now a member of ${invited.name}.`,
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
        <p>This server requires two-factor authentication. Set it up, then accept the invitation.</p>
        <LinkButton kind="primary" to={twoFactorPath}>
          Set up two-factor authentication
        </LinkButton>
      </>
    )
  }
  if (!mayWrite(session)) {
    return <p>You signed in with a read-only token. To accept the invitation, sign in without one.</p>
  }
  const isMember = isFailure(accept.error, 409)
  return (
    <>
      <Problem text={accept.error ? sentenceOf(accept.error, invited) : ''} />
      {isMember ? (
        <LinkButton kind="primary" to={invitedAddress(invited)}>
          Open {invited.name}
        </LinkButton>
      ) : (
        <Button kind="primary" isBusy={accept.isPending} onClick={() => accept.mutate({ body: { token: secret } })}>
          Accept invitation
        </Button>
      )}
      <p className="muted small">
        You are signed in as {user.name} (@{user.username}). To use another account, sign out and open the link again.
      </p>
    </>
  )
}

function sentenceOf(error: Error, { kind, name, created_by_name: inviter }: Invited): string {
  if (isFailure(error, 409)) return `You are already a member of the ${kind} ${name}.`
  if (isFailure(error, 403)) return `${inviter} can no longer grant this role. Ask for a new invitation.`
  return error.message
}
