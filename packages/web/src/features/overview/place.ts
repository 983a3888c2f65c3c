/** Projects that a page is about: all readable ones, those of a group, or one. */
export interface OverviewPlace {
  query: { group_id?: number; project_id?: number[] }
  isOneProject: boolean
}
