import type { Schemas } from '@alcove/client'
import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { fill } from '../../components/fill.tsx'
import { DialogActions } from '../../components/overlay/dialog.tsx'
import { Time } from '../../components/time.tsx'
import { invitationLink } from '../../data/invitation-link.ts'
import { useSession } from '../../data/session.ts'
import styles from './invitation.module.css'
import { texts } from './texts.ts'

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
      <section ref={content} tabIndex={-1} aria-label={texts.invitationLinks} className={styles.links}>
        <p className="muted">
          {texts.overAPrivateChannel(
            isMailed
              ? texts.anEMailWithALink(all.length === 1 ? texts.itsRecipientReceives : texts.eachRecipientReceives)
              : texts.send(all.length === 1 ? texts.theLinkToItsRecipient : texts.eachLinkToItsRecipient),
          )}
        </p>
        {all.map(([email, { token, expires_at: end }]) => (
          <section key={email} className={styles.link} aria-label={email}>
            <h3>{email}</h3>
            <p className={styles.secret}>{invitationLink(token)}</p>
            <div className="row-wrap">
              <CopyButton text={invitationLink(token)} label={texts.copyLink} />
              <span className="muted small">{fill(texts.singleUseExpires, { time: <Time of={end} /> })}</span>
            </div>
          </section>
        ))}
        {children}
      </section>
      <DialogActions>
        {all.length > 1 && (
          <CopyButton
            text={all.map(([email, { token }]) => `${email} ${invitationLink(token)}\n`).join('')}
            label={texts.copyAll}
            size="normal"
          />
        )}
        <Button kind="primary" onClick={onClose}>
          {texts.done}
        </Button>
      </DialogActions>
    </>
  )
}
