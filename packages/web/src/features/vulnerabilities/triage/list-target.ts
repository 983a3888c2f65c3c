import type { VulnerabilityRow } from '../../../nouns/vulnerability/owner.ts'
import type { PagedRows } from '../grid/paged-rows.ts'
import type { Cursor } from '../grid/use-cursor.ts'
import { texts } from '../texts.ts'
import type { FilterTarget, Target } from './triage-change.ts'

/** Returns the selection, or the active row if nothing is selected. Nothing of a project without triage can be changed. */
export function targetOf(
  everything: Omit<FilterTarget, 'count'>,
  rows: PagedRows<VulnerabilityRow>,
  { isAll, selected, row }: Pick<Cursor<VulnerabilityRow>, 'isAll' | 'selected' | 'row'>,
): Target | undefined {
  const { owner } = everything
  if (isAll) return { ...everything, count: rows.isCounted ? rows.length : undefined }
  if (selected.length > 0) return { rows: rows.newestOf(selected), owner }
  return row && !row.isReadOnly ? { rows: [row], owner } : undefined
}

/** Returns false for a row of a project in which the user cannot triage, which the side panel may show. */
export const isChangeable = (target: Target | undefined): target is Target =>
  target !== undefined && !('rows' in target && target.rows.some(({ isReadOnly }) => isReadOnly))

/** Explains why the rows of a project permit no triage. */
export function whyReadOnly(row: VulnerabilityRow | undefined): string {
  if (row?.isForbidden) return texts.youCannotTriageHere
  return row?.isArchived ? texts.thisProjectIsArchived : texts.thisProjectIsAMirror
}
