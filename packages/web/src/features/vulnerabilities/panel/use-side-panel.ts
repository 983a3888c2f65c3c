import { type RefObject, useEffect, useRef, useState } from 'react'
import { prefetch } from '../../../data/api.ts'
import { useSearchState } from '../../../data/search-state.ts'
import { useAsNeighbors } from '../../../nouns/vulnerability/neighbors.ts'
import type { VulnerabilityRow } from '../../../nouns/vulnerability/owner.ts'
import type { PagedRows } from '../grid/paged-rows.ts'
import type { Cursor } from '../grid/use-cursor.ts'
import { VulnerabilityPanel } from './lazy-panel.ts'

export interface SidePanel {
  /** Id of the vulnerability beside the list. */
  id: string | undefined
  isOpen: boolean
  /** Number of times that the user asked for the focus in the panel. */
  focuses: number
  open: (row: VulnerabilityRow, takesFocus: boolean) => void
  close: () => void
  /** Cursor of the list. While the panel is open, it shows the row to which the user moves. */
  cursor: Cursor<VulnerabilityRow>
}

const names = ['open'] as const

/** State of the panel beside a list. Its vulnerability is part of the address, so that a reload or a link open it. */
export function useSidePanel(
  rows: PagedRows<VulnerabilityRow>,
  cursor: Cursor<VulnerabilityRow>,
  /** Element that contains the grid, which takes the focus when the panel closes. */
  list: RefObject<HTMLElement | null>,
): SidePanel {
  const [{ open: id }, set] = useSearchState(names)
  const [focuses, setFocuses] = useState(0)
  // The panel does not follow a cursor that moves because rows were added or removed.
  const isFollowing = useRef(false)
  const { row, active } = cursor

  useEffect(() => {
    if (!isFollowing.current || !row) return
    isFollowing.current = false
    if (id === undefined || id === String(row.id)) return
    prefetchDetails(row)
    set({ open: String(row.id) }, { isReplacing: true, keepsState: true })
  })

  useEffect(() => {
    if (id === undefined) return
    for (const step of [1, -1]) {
      const next = rows.rowAt(active + step)
      if (next) prefetchDetails(next)
    }
  }, [id, active, rows.rowAt])

  useOpenedRow(id, rows, cursor)
  useAsNeighbors(rows.rowAt, active)
  const focusList = useListFocus(list)
  return {
    id,
    isOpen: id !== undefined,
    focuses,
    open(row, takesFocus) {
      prefetchDetails(row)
      if (takesFocus) setFocuses((before) => before + 1)
      set({ open: String(row.id) }, { isReplacing: id !== undefined, keepsState: true })
    },
    close() {
      set({ open: undefined }, { isReplacing: true, keepsState: true })
      focusList()
    },
    cursor: {
      ...cursor,
      move(index, isExtending) {
        isFollowing.current = true
        cursor.move(index, isExtending)
      },
      advance(steps) {
        isFollowing.current = true
        cursor.advance(steps)
      },
    },
  }
}

/** Returns the function that moves the focus to the list, which may be hidden until the panel is gone. */
function useListFocus(list: RefObject<HTMLElement | null>): () => void {
  const [closings, setClosings] = useState(0)
  useEffect(() => {
    if (closings > 0) list.current?.querySelector<HTMLElement>('[role=grid]')?.focus({ preventScroll: true })
  }, [closings, list])
  return () => setClosings((before) => before + 1)
}

/** Moves the cursor to the opened row after a reload, once the row is loaded and unless the user moves first. */
function useOpenedRow(
  id: string | undefined,
  rows: PagedRows<VulnerabilityRow>,
  { active, advance }: Cursor<VulnerabilityRow>,
): void {
  const wanted = useRef(id)
  useEffect(() => {
    if (wanted.current === undefined || rows.length === 0) return
    if (wanted.current !== id) {
      wanted.current = undefined
      return
    }
    const index = rows.indexOf((row) => String(row.id) === id, active)
    if (index < 0) return
    wanted.current = undefined
    if (index !== active) advance(index - active)
  })
}

/** Starts the requests of the panel at once, so that none waits for another one or for code. */
export function prefetchDetails({ id, isFinding, findingId, projectId, projectPath }: VulnerabilityRow): void {
  void VulnerabilityPanel.preload()
  if (!isFinding) prefetch('GET /vulnerabilities/{id}', { path: { id: String(id) } })
  prefetch('GET /projects/{id}/vulnerability_findings/{finding_id}', {
    path: { id: projectId, finding_id: findingId },
  })
  prefetch('GET /projects/{id}', { path: { id: projectPath } })
}
