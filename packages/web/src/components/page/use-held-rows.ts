import type { Page } from '@alcove/client'
import { useState } from 'react'

interface Shown<Row> {
  key: string
  rows: readonly Row[]
}

/**
 * Keeps the rows of a page in their places while newer versions of the page arrive, and updates them in place. Returns
 * what `show` would change. Another `key` is another list.
 */
export function useHeldRows<Row extends { id: number | null }>(key: string, page: Page<Row> | undefined) {
  const [shown, setShown] = useState<Shown<Row>>()
  const latest = page?.rows ?? []
  const isShown = shown?.key === key && shown.rows.length > 0
  if (page && !isShown && latest.length > 0) setShown({ key, rows: latest })
  const known = isShown ? shown.rows : latest
  const rows = known.map((row) => latest.find(({ id }) => id === row.id) ?? row)
  const added = latest.filter(({ id }) => !known.some((row) => row.id === id)).length
  return {
    rows,
    held: added > 0 ? { added, gone: 0 } : null,
    show: () => setShown({ key, rows: latest }),
  }
}
