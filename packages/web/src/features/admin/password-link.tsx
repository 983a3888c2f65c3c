import type { ResponseOf } from '@alcove/client'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { fill } from '../../components/fill.tsx'
import { Dialog, DialogActions } from '../../components/overlay/dialog.tsx'
import { Time } from '../../components/time.tsx'
import { useSession } from '../../data/session.ts'
import styles from './admin.module.css'
import { texts } from './texts.ts'

export type PasswordLink = ResponseOf<'POST /users/{id}/password_links'>

/** Shows a password reset link, which is not stored and cannot be shown again. */
export function PasswordLinkDialog({ link, onClose }: { link: PasswordLink | undefined; onClose: () => void }) {
  const { sends_mail: isMailed } = useSession()
  const address = link ? `${location.origin}/-/password#${link.token}` : ''
  return (
    <Dialog
      isOpen={link !== undefined}
      onClose={onClose}
      title={texts.passwordResetLink}
      lead={texts.theLinkIsShown(isMailed ? texts.theUserReceivesAnE : texts.sendItToTheUser)}
    >
      <p className={styles.secret}>{address}</p>
      {link && (
        <p className="muted small">{fill(texts.singleUseExpiresGenerating, { time: <Time of={link.expires_at} /> })}</p>
      )}
      <DialogActions>
        <CopyButton text={address} label={texts.copyLink} size="normal" />
        <Button kind="primary" onClick={onClose}>
          {texts.done}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
