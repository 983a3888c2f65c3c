import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { TextArea } from '../../../components/form/field.tsx'
import { counted } from '../../../components/format.ts'
import { Dialog, DialogActions } from '../../../components/overlay/dialog.tsx'
import type { Conflict } from '../../../nouns/vulnerability/conflict.ts'
import { ReasonField, reasonIn } from '../../../nouns/vulnerability/reason-field.tsx'
import { type Action, actions, type Change, type Outcome, type Target } from './triage.ts'

/** Dialog for the dismissal reason and comment of an action. Confirms actions on several rows. */
export function ActionDialog({
  action,
  target,
  onClose,
  onApply,
}: {
  action: Action
  target: Target
  onClose: () => void
  onApply: (change: Change, target: Target) => Promise<Outcome>
}) {
  const [isBusy, setBusy] = useState(false)
  const [conflict, setConflict] = useState<Conflict>()
  const many = sizeOf(target)
  const { label } = actions[action]

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (isBusy) return
    const fields = new FormData(event.currentTarget)
    const comment = String(fields.get('comment') ?? '').trim() || undefined
    const change = { action, comment, ...(action === 'dismiss' && { reason: reasonIn(fields) }) }
    setBusy(true)
    setConflict(undefined)
    const outcome = await onApply(change, conflict ? { rows: conflict.rows } : target)
    setBusy(false)
    if (outcome === 'done') onClose()
    else if (outcome !== 'failed') setConflict(outcome)
  }

  return (
    <Dialog isOpen onClose={onClose} title={`${label}: ${many}`} lead={leadOf(target)}>
      <form className="stack" onSubmit={(event) => void submit(event)} onKeyDown={submitByKey}>
        {action === 'dismiss' && <ReasonField />}
        <TextArea
          label="Comment"
          name="comment"
          rows={3}
          hint="Optional. Visible to everyone who can read these vulnerabilities."
        />
        {conflict && (
          <p role="alert">
            Nothing was changed. {conflict.text} {label} anyway?
          </p>
        )}
        <p role="status" className="muted small">
          {isBusy && `Updating ${many} …`}
        </p>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={isBusy} data-first-focus={action === 'dismiss' ? undefined : ''}>
            {conflict ? `${label} anyway` : label}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** Submits on Enter, and on Ctrl+Enter in a text area. */
function submitByKey(event: KeyboardEvent<HTMLFormElement>) {
  if (event.key !== 'Enter') return
  const isPlainLine = event.target instanceof HTMLTextAreaElement && !event.ctrlKey && !event.metaKey
  if (isPlainLine || event.target instanceof HTMLButtonElement) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}

function sizeOf(target: Target): string {
  if ('rows' in target) return counted(target.rows.length, 'vulnerability', 'vulnerabilities')
  return target.count === undefined ? 'all matching' : counted(target.count, 'vulnerability', 'vulnerabilities')
}

function leadOf(target: Target): string {
  if ('filter' in target) return 'Everything in the current filter, including rows out of view. You can undo this.'
  const [only] = target.rows
  return target.rows.length === 1 && only ? only.title : 'Applied to all or none. You can undo this.'
}
