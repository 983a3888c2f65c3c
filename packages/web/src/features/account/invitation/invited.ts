import type { ResponseOf } from '@alcove/client'
import { groupAddress } from '../../../nouns/group/group.ts'

/** What a link invites to. */
export type Invited = ResponseOf<'POST /-/invitations/open'>

/** Returns the address of the project or group that an invitation leads to. */
export function invitedAddress({ kind, full_path: path }: Pick<Invited, 'kind' | 'full_path'>): string {
  return kind === 'group' ? groupAddress(path) : `/${path}`
}
