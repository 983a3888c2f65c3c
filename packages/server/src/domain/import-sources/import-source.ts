export const importKinds = ['group', 'project', 'topic', 'user'] as const
export type ImportKind = (typeof importKinds)[number]

/** Local changes that a mirror permits to others than its importer. */
export const localChanges = ['none', 'triage', 'all'] as const
export type LocalChanges = (typeof localChanges)[number]

/** Object of another server that an object of this server was imported from. */
export interface ImportSource {
  id: number
  /** Address of the other server, without a slash at its end. */
  source: string
  kind: ImportKind
  /** Id in the source. */
  sourceId: string
  /** Id of the imported object. */
  targetId: number
  /** Null: the object was imported once or several times, but is not a mirror. A detached one was a mirror. */
  mirror: LocalChanges | 'detached' | null
  mirroredById: number | null
  /** Hash of the avatar in the source when it was copied. */
  avatarSha256: string | null
  createdAt: string
  updatedAt: string
}

/** Group, project or topic that is kept equal to one of another server. */
export interface Mirror {
  kind: ImportKind
  targetId: number
  source: string
  localChanges: LocalChanges
  /** The user whose token imports. Only they may change what the mirror does not permit. */
  mirroredById: number | null
}
