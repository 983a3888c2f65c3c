import { type FormEvent, useState } from 'react'
import { Button } from '../../../../components/button.tsx'
import { Dialog, DialogActions } from '../../../../components/overlay/dialog.tsx'
import { AssigneeField, assigneeIn } from '../../../../nouns/vulnerability/assignee-field.tsx'
import { texts as listTexts } from '../../texts.ts'
import { leadOf, sizeOf } from '../target-in-words.ts'
import type { Assignment, Target } from '../triage-change.ts'
import { texts } from './texts.ts'

/** Dialog that chooses the assignee of one or several rows. */
export function AssignDialog({
  target,
  onClose,
  onApply,
}: {
  target: Target
  onClose: () => void
  /** Returns false when nothing was changed. */
  onApply: (assignment: Assignment, target: Target) => Promise<boolean>
}) {
  const [isBusy, setBusy] = useState(false)
  const [only] = 'rows' in target && target.rows.length === 1 ? target.rows : []
  const projectId = only?.projectId ?? (target.owner.kind === 'project' ? target.owner.id : undefined)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (isBusy) return
    const assigneeId = assigneeIn(new FormData(event.currentTarget))
    setBusy(true)
    const isDone = await onApply(
      assigneeId === undefined ? { action: 'unassign' } : { action: 'assign', assigneeId },
      target,
    )
    setBusy(false)
    if (isDone) onClose()
  }

  return (
    <Dialog isOpen onClose={onClose} title={texts.assignTarget(sizeOf(target))} lead={leadOf(target)}>
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <AssigneeField projectId={projectId} current={only?.assignee ?? null} />
        <DialogActions>
          <Button onClick={onClose}>{listTexts.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {listTexts.assign}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
