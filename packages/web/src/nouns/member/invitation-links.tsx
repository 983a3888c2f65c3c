import type { Schemas } from '@alcove/client'
import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { DialogActions } from '../../components/overlay/dialog.tsx'
import { Time } from '../../components/time.tsx'
import { invitationLink } from '../../data/invitation-link.ts'
import { useSession } from '../../data/session.ts'
import styles from './invitation.module.css'

export type InvitationLinks = Readonly<Record<string, Schemas['InvitationLink']>>

/** Content of a dialog that shows new links by e-mail address. They cannot be shown again. */
export function NewInvitationLinks({
  links,
  onClose,
  children,
}: {
  links: InvitationLinks
  onClose: () => void
  /** Shown below the links. */
  children?: ReactNode
}) {
  const { sends_mail: isMailed } = useSession()
  const content = useRef<HTMLElement>(null)
  // The form that had the focus is gone.
  useEffect(() => content.current?.focus(), [])
  const all = Object.entries(links)
  return (
    <>
      <section ref={content} tabIndex={-1} aria-label="Invitation links" className={styles.links}>
        <p className="muted">
          {isMailed
            ? `${all.length === 1 ? 'Its recipient receives' : 'Each recipient receives'} an e-mail with a link. If it does not arrive, send the link below`
            : `Send ${all.length === 1 ? 'the link to its recipient' : 'each link to its recipient'}`}{' '}
          over a private channel: anyone with the link can use it. It is shown only once. Under “Pending invitations”
          you can create a new one.
        </p>
        {all.map(([email, { token, expires_at: end }]) => (
          <section key={email} className={styles.link} aria-label={email}>
            <h3>{email}</h3>
            <p className={styles.secret}>{invitationLink(token)}</p>
            <div className="row-wrap">
              <CopyButton text={invitationLink(token)} label="Copy link" />
              <span className="muted small">
                Single use. Expires <Time of={end} />.
              </span>
            </div>
          </section>
        ))}
        {children}
      </section>
      <DialogActions>
        {all.length > 1 && (
          <CopyButton
            text={all.map(([email, { token }]) => `${email} ${invitationLink(token)}\n`).join('')}
            label="Copy all"
            size="normal"
          />
        )}
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </>
  )
}
