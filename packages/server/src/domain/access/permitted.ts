import type { Settings } from '../../platform/settings.ts'
import type { PermissionRow } from './permissions.ts'
import { roles } from './roles.ts'

/** What a caller brings to the check of a permission, whether a request or a queued job uses it. */
export interface Claim {
  /** The user is signed in. */
  isSignedIn: boolean
  isAdmin: boolean
  /** Access level in the project or group that the permission is on; 0 without one. */
  level: number
}

export function isPermitted({ triageRole }: Pick<Settings, 'triageRole'>, row: PermissionRow, claim: Claim): boolean {
  // The guard has asked a monitor for its token before.
  if (row.who === 'anyone' || row.who === 'monitor') return true
  if (row.who === 'user') return claim.isSignedIn
  if (row.who === 'admin') return claim.isAdmin
  return claim.level >= roles[row.who === 'triager' ? triageRole : row.who]
}

/** Whether the permission stays in force in an archived project, which is read-only apart from the rows that say so. */
export function isPermittedInArchive(row: PermissionRow): boolean {
  return row.scope !== 'api' || row.reads === true || row.inArchive === true
}
