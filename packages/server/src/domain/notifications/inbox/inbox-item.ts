export const inboxKinds = ['assigned', 'due_soon', 'overdue', 'approval', 'failed_import'] as const
type InboxKind = (typeof inboxKinds)[number]

/** Something that concerns a user, as long as it is so. */
export interface InboxItem {
  kind: InboxKind
  projectId: number
  /** Title of the vulnerability, or the branch of the import. */
  title: string
  vulnerabilityId: number | null
  importId: number | null
  dueOn: string | null
  /** Time from which it concerns the user. */
  createdAt: string
  isUnread: boolean
}
