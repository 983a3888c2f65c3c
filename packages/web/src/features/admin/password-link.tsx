import type { AnswerOf } from '@alcove/client'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Time } from '../../components/time.tsx'
import styles from './admin.module.css'

export type PasswordLink = AnswerOf<'POST /users/{id}/password_links'>

/** Shows a link once; it is kept nowhere. */
export function PasswordLinkDialog({ link, onClose }: { link: PasswordLink | undefined; onClose: () => void }) {
  const address = link ? `${location.origin}/-/password#${link.token}` : ''
  return (
    <Dialog
      isOpen={link !== undefined}
      onClose={onClose}
      title="A link to set the password"
      lead="It is shown this once. Send it to its owner by a way that only he reads; whoever has it can set the password."
    >
      <p className={styles.secret}>{address}</p>
      {link && (
        <p className="muted small">
          It works once, and ends <Time of={link.expires_at} />. A new link ends this one.
        </p>
      )}
      <DialogActions>
        <CopyButton text={address} label="Copy the link" size="normal" />
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
