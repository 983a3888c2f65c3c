/** Scopes of GitLab's deploy tokens. All of them concern repositories and registries, which do not exist here. */
export const deployTokenScopes = [
  'read_repository',
  'read_registry',
  'write_registry',
  'read_package_registry',
  'write_package_registry',
  'read_virtual_registry',
  'write_virtual_registry',
] as const

export interface DeployToken {
  id: number
  projectId: number | null
  namespaceId: number | null
  name: string
  /** Null: derived from the id. */
  username: string | null
  scopes: readonly string[]
  isRevoked: boolean
  expiresAt: string | null
}

/** Owner of deploy tokens; without one, all of the instance. */
export interface DeployTokenOwner {
  kind: 'project' | 'group'
  id: number
}
