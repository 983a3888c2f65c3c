/** Account of a project or group instead of a person, such as the user of an access token. */
export interface Bot {
  userId: number
  /** Exactly one of the two ids is set. */
  projectId: number | null
  namespaceId: number | null
}

/** Ids of the project or group that a bot belongs to. */
export type BotOwner = Pick<Bot, 'projectId' | 'namespaceId'>
