import type { ResponseOf } from '@alcove/client'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog, DialogActions } from '../../components/overlay/dialog.tsx'
import { Time } from '../../components/time.tsx'
import { useSession } from '../../data/session.ts'
import styles from './admin.module.css'

export type PasswordLink = ResponseOf<'POST /users/{id}/password_links'>

/** Shows a password reset link, which is not stored and cannot be shown again. */
export function PasswordLinkDialog({ link, onClose }: { link: PasswordLink | undefined; onClose: () => void }) {
  const { sends_mail: isMailed } = useSession()
  const address = link ? `${location.origin}/-/password#${link.token}` : ''
  return (
    <Dialog
      isOpen={link !== undefined}
      onClose={onClose}
      title="Password reset link"
      lead={`The link is shown only once. ${isMailed ? 'The user receives an e-mail with a link. If it does not arrive, send this one' : 'Send it to the user'} over a private channel: anyone with the link can set the password.`}
    >
      <p className={styles.secret}>{address}</p>
      {link && (
        <p className="muted small">
          Single use. Expires <Time of={link.expires_at} />. Generating a new link revokes this one.
        </p>
      )}
      <DialogActions>
        <CopyButton text={address} label="Copy link" size="normal" />
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
