import type { Crumb } from '../../components/page/page.tsx'
import { texts } from './texts.ts'

/** Projects that a page is about: all readable ones, those of a group, or one. */
export interface OverviewPlace {
  query: { group_id?: number; project_id?: number[] }
  crumbs: readonly Crumb[]
  isOneProject: boolean
}

export const everywhere: OverviewPlace = { query: {}, crumbs: [{ label: texts.home, to: '/' }], isOneProject: false }
