import { useState } from 'react'
import { ActionForm } from '../../components/form/action-form.tsx'
import { ConfirmDialog, Dialog } from '../../components/overlay/dialog.tsx'
import { useAction } from '../../data/api.ts'
import type { Invitation } from './invitation.ts'
import { NewInvitationLinks } from './invitation-links.tsx'
import type { MemberPlace } from './roles.ts'
import { bodyOf, type Terms, TermsFields, termsFieldNames } from './terms.tsx'
import { texts } from './texts.ts'

interface Props {
  place: MemberPlace
  invitation: Invitation
  onClose: () => void
}

/** Replaces the link of an invitation after a confirmation, and shows the new one. */
export function RenewInvitation({ place, invitation: { invite_email: email }, onClose }: Props) {
  const action = useAction(`POST /${place.noun}s/{id}/invitations/{email}/resend`)
  if (action.data) {
    return (
      <Dialog isOpen onClose={onClose} title={texts.newInvitationLink}>
        <NewInvitationLinks links={{ [email]: action.data }} onClose={onClose} />
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={texts.createANewLink(email)}
      lead={texts.theFormerLinkStops}
      confirm={texts.createLink}
      isDangerous={false}
      isBusy={action.isPending}
      onConfirm={() => action.mutate({ path: { id: place.id, email } })}
    />
  )
}

export function ChangeInvitation({ place, invitation, onClose }: Props) {
  const { invite_email: email, access_level: level, expires_at: end } = invitation
  const [terms, setTerms] = useState<Terms>({ level, until: end ?? '' })
  const action = useAction(`PUT /${place.noun}s/{id}/invitations/{email}`, {
    showsErrors: true,
    done: texts.invitationOfUpdated(email),
    onDone: onClose,
  })
  return (
    <Dialog isOpen onClose={onClose} title={texts.editInvitationOf(email)} lead={texts.theLinkStaysTheSame}>
      <ActionForm
        action={action}
        fields={termsFieldNames}
        submit={texts.save}
        onCancel={onClose}
        onSubmit={() => action.mutate({ path: { id: place.id, email }, body: bodyOf(terms) })}
      >
        <TermsFields place={place} terms={terms} onChange={setTerms} />
      </ActionForm>
    </Dialog>
  )
}

export function RevokeInvitation({ place, invitation: { invite_email: email }, onClose }: Props) {
  const action = useAction(`DELETE /${place.noun}s/{id}/invitations/{email}`, {
    done: texts.invitationOfRevoked(email),
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={texts.revokeInvitationOf(email)}
      lead={texts.itsLinkStopsWorking}
      confirm={texts.revoke}
      isBusy={action.isPending}
      onConfirm={() => action.mutate({ path: { id: place.id, email } })}
    />
  )
}
