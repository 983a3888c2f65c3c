import type { Page } from '@alcove/client'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useLiveUpdates } from '../../../data/live-updates.ts'
import type { RowSource } from '../../../nouns/vulnerability/row-source.ts'
import { areActionsPending, areActionsUnsent } from '../triage/triage-queue.ts'
import { applyRows, type HeldChanges, isOfRows, updateRows } from './live-rows.ts'
import type { PagedRows } from './paged-rows.ts'
import { headQuery } from './row-queries.ts'

interface Held extends HeldChanges {
  /** First page of the list for which the changes are held. */
  head: unknown
}

/**
 * Updates the rows of an open list in place. Returns the changes that would move rows, which `show` applies; null
 * without any.
 */
export function useLiveRows<Row extends { id: number }>(
  source: RowSource<Row>,
  { id, length, isOutdated, isRefreshing }: Pick<PagedRows<Row>, 'id' | 'length' | 'isOutdated' | 'isRefreshing'>,
): { held: HeldChanges | null; show: () => void } {
  const client = useQueryClient()
  const [held, setHeld] = useState<Held>()
  const reading = useRef<AbortController>(undefined)
  const headOf = () => client.getQueryData<Page<Row>>(headQuery(source).queryKey)
  useEffect(() => () => reading.current?.abort(), [])

  async function update() {
    if (isOutdated || id !== source.id) return
    if (length === 0) return applyRows(client, id)
    reading.current?.abort()
    reading.current = new AbortController()
    const { signal } = reading.current
    const changes = await updateRows(client, source, signal).catch(() => undefined)
    if (!changes || signal.aborted || areActionsPending()) return
    setHeld(changes.added + changes.gone > 0 ? { ...changes, head: headOf() } : undefined)
  }
  useLiveUpdates({ isPaused: areActionsUnsent, held: { has: isOfRows, update: () => void update() } })

  // A list that was loaded again since, such as after a decision of the user, contains the changes.
  const isCurrent = held !== undefined && held.head === headOf() && !isOutdated
  const show = useCallback(() => {
    setHeld(undefined)
    void applyRows(client, id)
  }, [client, id])
  // A page that is loaded now does not continue an older one. The rows in view stay where they are.
  const isMixed = isCurrent && isRefreshing
  useEffect(() => {
    if (isMixed) show()
  }, [isMixed, show])
  return { held: isCurrent ? held : null, show }
}
