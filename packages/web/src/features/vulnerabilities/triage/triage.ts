import { useCallback, useRef } from 'react'
import { formatCount } from '../../../components/format.ts'
import { useToast } from '../../../data/toasts.ts'
import { type Conflict, conflictFrom } from '../../../nouns/vulnerability/conflict.ts'
import type { Owner, VulnerabilityRow } from '../../../nouns/vulnerability/owner.ts'
import { texts } from '../texts.ts'
import { type Done, send, type Undone, undoOne } from './bulk-requests.ts'
import { actions, type Change, type FieldChange, type Target } from './triage-change.ts'
import { actionsSettled, enqueue, type OptimisticState } from './triage-queue.ts'

/** Result of an action. A conflict was neither applied nor shown to the user. */
export type Outcome = 'done' | 'failed' | Conflict

/** Action that `undo` can revert, even before its response. */
interface Step {
  response: Promise<readonly Done[]>
  before: ReadonlyMap<number, OptimisticState>
}

export interface Triage {
  /** Applies a change optimistically and sends it after earlier ones. */
  apply: (change: Change, target: Target) => Promise<Outcome>
  /** Applies a change to one row. A conflict is shown in a toast that offers to apply it anyway. */
  applyToRow: (change: Change, row: VulnerabilityRow) => void
  /** Changes the assignee or tags. Returns false when the request failed. */
  changeField: (change: FieldChange, target: Target) => Promise<boolean>
  /** Undoes the last action of this list. */
  undo: () => void
}

const topic = 'triage'

export function useTriage(): Triage {
  const toast = useToast()
  const { journal, forget, undoStep, undo } = useUndo(toast)

  const apply = useCallback(
    async (change: Change, target: Target): Promise<Outcome> => {
      const rows = 'rows' in target ? target.rows : []
      const response = enqueue(statesAfter(change, rows), () => send(change, target))
      const step = {
        response,
        before: new Map(rows.map(({ id, state, dismissalReason }) => [id, { state, dismissalReason }])),
      }
      // An action without a visible effect is still sent, because the list may be outdated, but it cannot be undone.
      if (!isShownAlready(change, rows)) journal.current.push(step)
      try {
        const done = await response
        const isChanged = done.some(({ changed, requested }) => changed + requested > 0)
        if (!isChanged) forget(step)
        const isLast = journal.current.includes(step)
        toast({
          text: doneInWords(change, target, done),
          topic,
          ...(isLast && { action: { label: texts.undo, run: () => void undoStep(step) } }),
        })
        return 'done'
      } catch (error) {
        forget(step)
        const conflict = conflictFrom(error, rows, actions[change.action].to)
        if (conflict && !conflict.isDone) return conflict
        const text = conflict ? texts.noChange(conflict.text) : texts.nothingWasChanged((error as Error).message) // nothing else is thrown here
        toast(conflict ? { text, topic } : { text, kind: 'error' })
        return conflict ? 'done' : 'failed'
      }
    },
    [toast, journal, forget, undoStep],
  )

  const applyToRow = useCallback(
    async (change: Change, row: VulnerabilityRow) => {
      const outcome = await apply(change, { rows: [row], owner: ownerOf(row) })
      if (typeof outcome === 'string') return
      const [now = row] = outcome.rows
      toast({
        text: texts.nothingWasChangedText(outcome.text),
        kind: 'error',
        action: { label: texts.anyway(actions[change.action].label), run: () => void applyToRow(change, now) },
      })
    },
    [apply, toast],
  )

  const changeField = useFieldChange(toast, { journal, forget, undoStep })
  return { apply, applyToRow: (change, row) => void applyToRow(change, row), changeField, undo }
}

/** Returns the function that changes assignees and tags, whose changes can be undone as other actions can. */
function useFieldChange(
  toast: ReturnType<typeof useToast>,
  { journal, forget, undoStep }: Omit<ReturnType<typeof useUndo>, 'undo'>,
): Triage['changeField'] {
  return useCallback(
    async (change: FieldChange, target: Target): Promise<boolean> => {
      const response = enqueue(new Map(), () => send(change, target))
      const step: Step = { response, before: new Map() }
      journal.current.push(step)
      try {
        const done = await response
        if (!done.some(({ changed }) => changed > 0)) forget(step)
        const isLast = journal.current.includes(step)
        toast({
          text: changedInWords(change, done),
          topic,
          ...(isLast && { action: { label: texts.undo, run: () => void undoStep(step) } }),
        })
        return true
      } catch (error) {
        forget(step)
        toast({ text: texts.nothingWasChanged((error as Error).message), kind: 'error' }) // nothing else is thrown here
        return false
      }
    },
    [toast, journal, forget, undoStep],
  )
}

/** Actions of this list that can be undone. */
function useUndo(toast: ReturnType<typeof useToast>) {
  const journal = useRef<Step[]>([])
  const forget = useCallback((step: Step) => {
    journal.current = journal.current.filter((other) => other !== step)
  }, [])
  const undoStep = useCallback(
    async (step: Step) => {
      forget(step)
      try {
        const undone = await enqueue(step.before, async () => {
          const done = await step.response.catch(() => [])
          return Promise.all(done.filter(({ changed, requested }) => changed + requested > 0).map(undoOne))
        })
        toast({ text: undoneInWords(undone), topic })
      } catch (error) {
        toast({ text: texts.undoFailed((error as Error).message), kind: 'error' }) // nothing else is thrown here
      }
    },
    [toast, forget],
  )
  const undo = useCallback(() => {
    const last = journal.current.at(-1)
    if (last) void undoStep(last)
    else void actionsSettled().then(() => toast({ text: texts.nothingToUndo, topic }))
  }, [toast, undoStep])
  return { journal, forget, undoStep, undo }
}

/** A single row is changed through its project, from any list. */
const ownerOf = ({ projectId: id, projectPath: path }: VulnerabilityRow): Owner => ({
  kind: 'project',
  id,
  path,
  mayTriage: true,
})

/** Returns true when each row already has the target state. A dismissal may still change the reason. */
function isShownAlready({ action }: Change, rows: readonly VulnerabilityRow[]): boolean {
  return rows.length > 0 && action !== 'dismiss' && rows.every(({ state }) => state === actions[action].to)
}

function statesAfter(
  { action, reason, scope }: Change,
  rows: readonly VulnerabilityRow[],
): ReadonlyMap<number, OptimisticState> {
  // A dismissal on a branch leaves the state in the list of all branches.
  if (scope?.scope === 'ref') return new Map()
  const after: OptimisticState = {
    state: actions[action].to,
    dismissalReason: action === 'dismiss' ? (reason ?? null) : null,
  }
  return new Map(rows.map(({ id }) => [id, after]))
}

function doneInWords({ action }: Change, target: Target, done: readonly Done[]): string {
  const changed = done.reduce((sum, one) => sum + one.changed, 0)
  const unchanged = done.reduce((sum, one) => sum + one.unchanged, 0)
  const { done: verb } = actions[action]
  const requested = done.reduce((sum, one) => sum + one.requested, 0)
  const waiting = requested > 0 ? texts.dismissalsAwaitApproval(requested) : ''
  const skipped = `${waiting}${skippedInWords(done)}`
  if (changed === 0 && waiting) return skipped.trim()
  if (changed === 0) return `${unchanged === 0 ? texts.nothingToChange : texts.noChangeAlreadyInThisState}${skipped}`
  const [only] = 'rows' in target ? target.rows : []
  if (changed === 1 && unchanged === 0 && only && !skipped)
    return `${verb.charAt(0).toUpperCase()}${verb.slice(1)}: ${only.title}`
  return `${formatCount(changed)} ${verb}.${unchanged > 0 ? texts.alreadyInThisState(formatCount(unchanged)) : ''}${skipped}`
}

const participles = { assign: 'assigned', unassign: 'unassigned', tag: 'tagged', untag: 'untagged' } as const

function changedInWords({ action }: FieldChange, done: readonly Done[]): string {
  const changed = done.reduce((sum, one) => sum + one.changed, 0)
  const limit = action === 'tag' ? texts.orAtTheLimit : ''
  if (changed === 0) return texts.noChangeAlready(participles[action], limit, skippedInWords(done))
  return `${formatCount(changed)} ${participles[action]}.${skippedInWords(done)}`
}

/** Describes what was left out, because the user may not triage in its projects. */
function skippedInWords(done: readonly Done[]): string {
  const skipped = done.flatMap((one) => one.skipped)
  if (skipped.length === 0) return ''
  const total = skipped.reduce((sum, { selected }) => sum + selected, 0)
  return texts.skippedInProjectWhere(formatCount(total), skipped.length)
}

function undoneInWords(undone: readonly Undone[]): string {
  const restored = undone.reduce((sum, one) => sum + (one.restored ?? 0), 0)
  const left = undone.reduce((sum, one) => sum + one.changed, 0) - restored
  const withdrawn = undone.reduce((sum, one) => sum + (one.withdrawn ?? 0), 0)
  const withRequests = withdrawn > 0 ? texts.requestForApprovalWithdrawn(withdrawn) : ''
  if (restored === 0 && left === 0) return withRequests.trim() || texts.nothingToUndo
  if (restored === 0) return texts.nothingWasRevertedVulnerabilities(left, withRequests)
  return texts.reverted(
    formatCount(restored),
    left > 0 ? texts.changedSinceAndLeft(formatCount(left)) : '',
    withRequests,
  )
}
