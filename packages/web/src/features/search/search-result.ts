/** Page or action that the search offers. */
export interface SearchResult {
  key: string
  /** Address of the page. */
  to?: string
  /** Action in place of a page. */
  run?: () => void
  title: string
  detail?: string
  /** Picture of a project, group, topic or user; null for the first letter of the title. */
  avatarUrl?: string | null
  severity?: string
  state?: string
}
