import { type ReactNode, useState } from 'react'
import { Button } from '../button.tsx'
import { TextField } from '../form/field.tsx'
import { texts } from '../texts.ts'
import { Dialog, DialogActions } from './dialog.tsx'

/** Dialog that confirms a permanent action: the user types the name of the object. */
export function TypedConfirm({
  title,
  lead,
  word,
  confirm,
  isBusy,
  onClose,
  onConfirm,
  children,
}: {
  title: string
  lead: ReactNode
  word: string
  confirm: string
  isBusy: boolean
  onClose: () => void
  onConfirm: () => void
  /** Additional content above the field. */
  children?: ReactNode
}) {
  const [typed, setTyped] = useState('')
  const isMeant = typed.trim() === word
  return (
    <Dialog isOpen onClose={onClose} title={title} lead={lead}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (isMeant) onConfirm()
        }}
      >
        {children}
        <TextField
          label={texts.typeToConfirm(word)}
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <DialogActions>
          <Button onClick={onClose}>{texts.cancel}</Button>
          <Button type="submit" kind="danger" disabled={!isMeant} isBusy={isBusy}>
            {confirm}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
