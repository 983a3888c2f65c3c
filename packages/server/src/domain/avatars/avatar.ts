import type { AvatarFile } from '../files/avatar-file.ts'

/** Tables whose rows have an avatar. */
export type AvatarOwner = 'projects' | 'namespaces' | 'users'

export interface Avatar extends AvatarFile {
  id: number
}
