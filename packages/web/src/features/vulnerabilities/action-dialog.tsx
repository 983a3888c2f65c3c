import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { SelectField, TextArea } from '../../components/field.tsx'
import { counted, inWords } from '../../components/format.ts'
import { type DismissalReason, dismissalReasons } from './filter.ts'
import { type Action, actions, type Change, type Target } from './triage.ts'

const reasons = dismissalReasons.map((value) => ({ value, label: inWords(value) }))
let lastReason: DismissalReason = 'acceptable_risk'

/** Asks what there is to ask before something is done: a reason, a comment, and whether it is really so many. */
export function ActionDialog({
  action,
  target,
  onClose,
  onApply,
}: {
  action: Action
  target: Target
  onClose: () => void
  /** False when it did not work. */
  onApply: (change: Change, target: Target) => Promise<boolean>
}) {
  const [reason, setReason] = useState(lastReason)
  const [isBusy, setBusy] = useState(false)
  const many = sizeOf(target)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const comment = String(new FormData(event.currentTarget).get('comment') ?? '').trim() || undefined
    lastReason = reason
    setBusy(true)
    const isDone = await onApply({ action, comment, ...(action === 'dismiss' && { reason }) }, target)
    setBusy(false)
    if (isDone) onClose()
  }

  return (
    <Dialog isOpen onClose={onClose} title={`${titles[action]}: ${many}`} lead={leadOf(target)}>
      <form className="stack" onSubmit={(event) => void submit(event)} onKeyDown={submitByKey}>
        {action === 'dismiss' && (
          <SelectField<DismissalReason> label="Reason" choices={reasons} value={reason} onChoose={setReason} />
        )}
        <TextArea
          label="Comment"
          name="comment"
          rows={3}
          hint="Optional. Everybody who may read these vulnerabilities sees it."
        />
        <p role="status" className="muted small">
          {isBusy && `Working on ${many} …`}
        </p>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={isBusy} data-first-focus={action === 'dismiss' ? undefined : ''}>
            {actions[action].label}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** Enter, and with Ctrl also where Enter begins a line. */
function submitByKey(event: KeyboardEvent<HTMLFormElement>) {
  if (event.key !== 'Enter') return
  const isPlainLine = event.target instanceof HTMLTextAreaElement && !event.ctrlKey && !event.metaKey
  if (isPlainLine || event.target instanceof HTMLButtonElement) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}

const titles: Record<Action, string> = {
  confirm: 'Confirm',
  dismiss: 'Dismiss',
  resolve: 'Resolve',
  revert: 'Back to detected',
}

function sizeOf(target: Target): string {
  if ('rows' in target) return counted(target.rows.length, 'vulnerability', 'vulnerabilities')
  return target.count === undefined
    ? 'everything that matches'
    : counted(target.count, 'vulnerability', 'vulnerabilities')
}

function leadOf(target: Target): string {
  if ('filter' in target) return 'Everything that the filter shows, also what is not in view. You can undo it.'
  const [only] = target.rows
  return target.rows.length === 1 && only ? only.title : 'All of them or none. You can undo it.'
}
