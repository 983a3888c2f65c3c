import { useEffect } from 'react'
import { Button } from '../../../components/button.tsx'
import type { Owner } from '../../../nouns/vulnerability/owner.ts'
import { texts } from '../texts.ts'
import { CreateIssues, preloadDialogs } from './lazy-dialogs.ts'
import { onceOf } from './page-keys.ts'
import { TagActions } from './tag-actions.tsx'
import type { Triage } from './triage.ts'
import { type Action, acceptKey, actions, actionsOf, assignKey, type Target } from './triage-change.ts'

/** Buttons of the toolbar that change the selection, or the active row. */
export function ListActions({
  owner,
  target,
  isAwaiting,
  isSelection,
  changeField,
  onAct,
  onAssign,
  onAccept,
  onDone,
}: {
  owner: Owner
  target: Target | undefined
  isAwaiting: boolean
  isSelection: boolean
  changeField: Triage['changeField']
  onAct: (action: Action) => void
  onAssign: () => void
  onAccept: () => void
  /** Clears the selection. */
  onDone: () => void
}) {
  useEffect(preloadDialogs, [])
  const button = (label: string, key: string, onClick: () => void) => (
    <Button
      key={key}
      size="small"
      disabled={!target}
      title={`${label} (${key})`}
      aria-keyshortcuts={key}
      onClick={onceOf(onClick)}
    >
      {label}
    </Button>
  )
  const decisions = actionsOf(isAwaiting).map((name) =>
    button(actions[name].label, actions[name].key, () => onAct(name)),
  )
  if (isAwaiting) return [...decisions, button(texts.accept, acceptKey, onAccept)]
  return (
    <>
      {decisions}
      {button(texts.assign, assignKey, onAssign)}
      {target && (
        <TagActions
          target={target}
          onApply={async (tagging, target) => {
            const isDone = await changeField(tagging, target)
            if (isDone) onDone()
            return isDone
          }}
        />
      )}
      {target && isSelection && <CreateIssues owner={owner} target={target} onDone={onDone} />}
    </>
  )
}
