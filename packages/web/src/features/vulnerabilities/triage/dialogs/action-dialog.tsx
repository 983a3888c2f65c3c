import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { Button } from '../../../../components/button.tsx'
import { TextArea } from '../../../../components/form/field.tsx'
import { formatCount } from '../../../../components/format.ts'
import { Dialog, DialogActions } from '../../../../components/overlay/dialog.tsx'
import { TemplateField } from '../../../../nouns/dismissal-template/template-field.tsx'
import type { Conflict } from '../../../../nouns/vulnerability/conflict.ts'
import { DismissalEndField, endIn } from '../../../../nouns/vulnerability/dismissal-end-field.tsx'
import { ReasonField, reasonIn } from '../../../../nouns/vulnerability/reason-field.tsx'
import { texts as listTexts } from '../../texts.ts'
import { previewChange, type ScopeChange } from '../bulk-requests.ts'
import { leadOf, sizeOf } from '../target-in-words.ts'
import { useTemplatePlace } from '../template-place.ts'
import type { Outcome } from '../triage.ts'
import { type Action, actions, type Change, type FilterTarget, isOfFindings, type Target } from '../triage-change.ts'
import { BulkScopeField, bulkScopeOf, GroupEffect } from './bulk-scope-field.tsx'
import { texts } from './texts.ts'

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
  const [chosen, setChosen] = useState('')
  const scope = bulkScopeOf(chosen)
  const many = sizeOf(target)
  const templates = useTemplatePlace(target)
  const { label } = actions[action]

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (isBusy) return
    const fields = new FormData(event.currentTarget)
    const comment = String(fields.get('comment') ?? '').trim() || undefined
    const dismissal = action === 'dismiss' && {
      reason: reasonIn(fields),
      end: endIn(fields),
      scope: bulkScopeOf(chosen),
    }
    const change = { action, comment, ...dismissal }
    setBusy(true)
    setConflict(undefined)
    const outcome = await onApply(change, conflict ? { rows: conflict.rows, owner: target.owner } : target)
    setBusy(false)
    if (outcome === 'done') onClose()
    else if (outcome !== 'failed') setConflict(outcome)
  }

  return (
    <Dialog isOpen onClose={onClose} title={`${label}: ${many}`} lead={leadOf(target)}>
      <form className="stack" onSubmit={(event) => void submit(event)} onKeyDown={submitByKey}>
        {action === 'dismiss' && (
          <>
            <TemplateField place={templates} />
            <ReasonField />
            <DismissalEndField />
            {!isOfFindings(target) && <BulkScopeField target={target} value={chosen} onChoose={setChosen} />}
            {scope?.scope === 'group' && <GroupEffect change={{ action, scope }} target={target} />}
          </>
        )}
        <TextArea label={texts.comment} name="comment" rows={3} hint={texts.optionalVisibleToEveryone} />
        {'filter' in target && target.owner.kind !== 'project' && !scope && <Preview action={action} target={target} />}
        {conflict && <p role="alert">{texts.nothingWasChangedAnyway(conflict.text, label)}</p>}
        <p role="status" className="muted small">
          {isBusy && texts.updating(many)}
        </p>
        <DialogActions>
          <Button onClick={onClose}>{listTexts.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={isBusy} data-first-focus={action === 'dismiss' ? undefined : ''}>
            {conflict ? listTexts.anyway(label) : label}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** Effect of a change of everything in a list of many projects. */
function Preview({ action, target }: { action: Action; target: FilterTarget }) {
  const preview = useQuery({
    queryKey: ['dry run', action, target],
    queryFn: () => previewChange({ action }, target),
    gcTime: 0,
  })
  const text = preview.data && previewInWords(preview.data)
  return (
    <div aria-live="polite" className="small">
      {preview.isPending && <p className="muted">{texts.checkingWhichProjectsYou}</p>}
      {text && <p>{text}</p>}
      {preview.data && preview.data.skipped.length > 0 && (
        <ul>
          {preview.data.skipped.slice(0, maxSkipped).map(({ id, path_with_namespace: path, archived, selected }) => (
            <li key={id}>
              {path}: {texts.vulnerabilitiesSelected(selected)}
              {archived && texts.archived}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Maximum number of skipped projects that the dialog names. */
const maxSkipped = 5

function previewInWords({ changed, unchanged, projects_count: projects, skipped_count: skipped }: ScopeChange): string {
  const parts = [texts.changesVulnerabilitiesInProject(changed, projects)]
  if (unchanged > 0) parts.push(texts.alreadyInThisStateUnchanged(formatCount(unchanged)))
  if (skipped > 0) parts.push(texts.skipsProjectWhereYou(skipped))
  return parts.join(' ')
}

/** Submits on Enter, and on Ctrl+Enter in a text area. */
function submitByKey(event: KeyboardEvent<HTMLFormElement>) {
  if (event.key !== 'Enter') return
  const isPlainLine = event.target instanceof HTMLTextAreaElement && !event.ctrlKey && !event.metaKey
  if (isPlainLine || event.target instanceof HTMLButtonElement) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}
