import { useEffect, useRef } from 'react'
import { counted } from '../../../components/format.ts'
import { useLiveUpdates } from '../../../data/live-updates.ts'
import { useToast } from '../../../data/toasts.ts'
import { texts } from '../texts.ts'
import { areActionsPending, areActionsUnsent } from '../triage/triage-queue.ts'
import type { PagedRows } from './paged-rows.ts'

type Shown = Pick<PagedRows<unknown>, 'id' | 'length' | 'isCounted' | 'isOutdated'>

/** Refreshes an open list and shows a toast with the number of added rows. */
export function useLiveRows(rows: Shown, [one, many]: readonly [one: string, many: string]): void {
  const toast = useToast()
  useLiveUpdates({ isPaused: areActionsUnsent })
  const { id, length, isCounted, isOutdated } = rows
  const before = useRef({ id, length, isCounted: false })
  useEffect(() => {
    if (isOutdated) return
    const { id: list, length: had, isCounted: wasCounted } = before.current
    before.current = { id, length, isCounted }
    const added = length - had
    if (list !== id || !wasCounted || !isCounted || added <= 0 || areActionsPending()) return
    toast({ text: texts.addedToThisList(counted(added, one, many)), topic: 'live' })
  }, [id, length, isCounted, isOutdated, one, many, toast])
}
