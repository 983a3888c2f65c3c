import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { isConfirming } from '../../data/confirmation.ts'
import { Button, IconButton } from '../button.tsx'
import { texts } from '../texts.ts'
import styles from './dialog.module.css'

interface DialogProps {
  isOpen: boolean
  onClose: () => void
  title: string
  /** Text below the title, which screen readers read when the dialog opens. */
  lead?: ReactNode
  size?: 'normal' | 'wide'
  /** True for the identity dialog, which opens in front of another dialog. */
  isOnTop?: boolean
  children: ReactNode
}

/** Modal dialog. Its close button, Escape and a click outside close it. */
export function Dialog({ isOpen, onClose, title, lead, size = 'normal', isOnTop = false, children }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && (isOnTop || !isConfirming()) && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup
          ref={popup}
          className={`${styles.dialog} ${styles[size]}`}
          initialFocus={() => firstFocus(popup.current) ?? true}
        >
          <header className={styles.header}>
            <Base.Title className={styles.title}>{title}</Base.Title>
            <IconButton label={texts.close} icon={X} onClick={onClose} />
          </header>
          {lead && (
            <Base.Description render={<div />} className={styles.lead}>
              {lead}
            </Base.Description>
          )}
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** Returns the element marked `data-first-focus`, or else the first field. Without either, Base UI chooses. */
function firstFocus(popup: HTMLElement | null): HTMLElement | null | undefined {
  const find = (selector: string) => popup?.querySelector<HTMLElement>(selector)
  return find('[data-first-focus]') ?? find('form :is(input, select, textarea)')
}

/** Row of buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <footer className={styles.actions}>{children}</footer>
}

/** Dialog that confirms an action before it runs. */
export function ConfirmDialog({
  isOpen,
  onClose,
  title,
  lead,
  confirm,
  isDangerous = true,
  isBusy = false,
  onConfirm,
}: Omit<DialogProps, 'children' | 'size'> & {
  /** Label of the button that runs the action. */
  confirm: string
  isDangerous?: boolean
  isBusy?: boolean
  onConfirm: () => void
}) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} lead={lead}>
      <DialogActions>
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button kind={isDangerous ? 'danger' : 'primary'} isBusy={isBusy} onClick={onConfirm}>
          {confirm}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
