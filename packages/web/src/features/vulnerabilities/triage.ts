import { useCallback, useRef } from 'react'
import { api, queries } from '../../app/api.ts'
import { counted, formatCount } from '../../components/format.ts'
import { useToast } from '../../components/toast.tsx'
import type { DismissalReason, Filter, State } from './filter.ts'
import type { VulnerabilityRow } from './owner.ts'
import { changeShownRows, stopLoadingRows } from './paged-rows.ts'

export const actions = {
  confirm: { to: 'confirmed', label: 'Confirm', key: 'c', done: 'Confirmed' },
  dismiss: { to: 'dismissed', label: 'Dismiss', key: 'd', done: 'Dismissed' },
  resolve: { to: 'resolved', label: 'Resolve', key: 'r', done: 'Resolved' },
  revert: { to: 'detected', label: 'Back to detected', key: 'v', done: 'Detected again' },
} as const satisfies Record<string, { to: State; label: string; key: string; done: string }>
export type Action = keyof typeof actions

export interface Change {
  action: Action
  comment?: string | undefined
  reason?: DismissalReason | undefined
}

/** Some rows, or everything in a project that a filter lets through. */
export type Target =
  | { rows: readonly VulnerabilityRow[] }
  | { projectId: number; filter: Filter; count: number | undefined }

/** What was done, so that it can be undone. */
interface Done {
  projectId: number
  bulkId: number
}

export interface Triage {
  /** Shown at once, before the server has answered. False when the server refused. */
  apply: (change: Change, target: Target) => Promise<boolean>
  /** Takes back the last thing that was done here. */
  undo: () => void
}

export function useTriage(): Triage {
  const toast = useToast()
  const journal = useRef<Done[][]>([])

  const takeBack = useCallback(
    async (done: Done[]) => {
      journal.current = journal.current.filter((other) => other !== done)
      try {
        const undone = await Promise.all(
          done.map(({ projectId, bulkId }) =>
            api.call('POST /projects/{id}/vulnerabilities/bulk/{bulk_id}/undo', {
              path: { id: projectId, bulk_id: bulkId },
            }),
          ),
        )
        toast({ text: undoneInWords(undone) })
      } catch (error) {
        toast({ text: `This could not be undone: ${(error as Error).message}`, kind: 'error' }) // nothing else is thrown here
      }
      void queries.invalidateQueries()
    },
    [toast],
  )

  const apply = useCallback(
    async (change: Change, target: Target) => {
      if ('rows' in target) await showAtOnce(change, target.rows)
      try {
        const done = await Promise.all(requestsFor(change, target))
        const made = done.filter(({ changed }) => changed > 0)
        const undoable = made.map(({ project_id: projectId, id: bulkId }) => ({ projectId, bulkId }))
        if (made.length > 0) journal.current.push(undoable)
        toast({
          text: doneInWords(change, target, done),
          ...(made.length > 0 && { action: { label: 'Undo', run: () => void takeBack(undoable) } }),
        })
        return true
      } catch (error) {
        toast({ text: `Nothing was changed: ${(error as Error).message}`, kind: 'error' }) // nothing else is thrown here
        return false
      } finally {
        void queries.invalidateQueries()
      }
    },
    [toast, takeBack],
  )

  const undo = useCallback(() => {
    const last = journal.current.at(-1)
    if (last) void takeBack(last)
    else toast({ text: 'There is nothing to undo.' })
  }, [toast, takeBack])

  return { apply, undo }
}

async function showAtOnce({ action, reason }: Change, rows: readonly VulnerabilityRow[]): Promise<void> {
  await stopLoadingRows(queries)
  const ids = new Set(rows.map(({ id }) => id))
  const dismissalReason = action === 'dismiss' ? (reason ?? null) : null
  changeShownRows<VulnerabilityRow>(queries, (row) =>
    ids.has(row.id) ? { ...row, state: actions[action].to, dismissalReason } : row,
  )
}

const bulkPath = 'POST /projects/{id}/vulnerabilities/bulk'

/** One for each project, each of them all or nothing. Also for a single row, since what is done so can be undone exactly. */
function requestsFor({ action, comment, reason }: Change, target: Target) {
  const body = { action, comment, ...(action === 'dismiss' && { dismissal_reason: reason }) }
  if ('filter' in target) {
    const { projectId, filter, count } = target
    const whole = { ...body, filter: { ...filter }, expected_count: count }
    return [api.call(bulkPath, { path: { id: projectId }, body: whole })]
  }
  const idsOf = new Map<number, number[]>()
  for (const { projectId, id } of target.rows) idsOf.set(projectId, [...(idsOf.get(projectId) ?? []), id])
  return [...idsOf].map(([id, ids]) => api.call(bulkPath, { path: { id }, body: { ...body, vulnerability_ids: ids } }))
}

function doneInWords({ action }: Change, target: Target, done: readonly { changed: number; unchanged: number }[]) {
  const changed = done.reduce((sum, one) => sum + one.changed, 0)
  const unchanged = done.reduce((sum, one) => sum + one.unchanged, 0)
  if (changed === 0) return unchanged === 0 ? 'There was nothing to change.' : 'Nothing to do: so it was already.'
  const [only] = 'rows' in target ? target.rows : []
  if (changed === 1 && unchanged === 0 && only) return `${actions[action].done}: ${only.title}`
  const rest = unchanged > 0 ? ` ${formatCount(unchanged)} were so already.` : ''
  return `${actions[action].done}: ${counted(changed, 'vulnerability', 'vulnerabilities')}.${rest}`
}

function undoneInWords(undone: readonly { changed: number; restored: number | null }[]) {
  const restored = undone.reduce((sum, one) => sum + (one.restored ?? 0), 0)
  const left = undone.reduce((sum, one) => sum + one.changed, 0) - restored
  const rest = left > 0 ? ` ${formatCount(left)} had been changed since and stay as they are.` : ''
  return `Undone: ${counted(restored, 'vulnerability', 'vulnerabilities')}.${rest}`
}
