import type { Settings } from '../../platform/settings/settings.ts'
import type { PermissionRow } from './permissions.ts'
import { roles } from './roles.ts'

/** Facts about a caller that decide a permission, for requests and for queued jobs. */
export interface Claim {
  /** The user is signed in. */
  isSignedIn: boolean
  isAdmin: boolean
  /** Access level in the project or group that the permission is on; 0 without one. */
  level: number
}

export function isPermitted({ triageRole }: Pick<Settings, 'triageRole'>, row: PermissionRow, claim: Claim): boolean {
  // For `monitor`, the guard has already checked the client's address or its metrics token.
  if (row.who === 'anyone' || row.who === 'monitor') return true
  if (row.who === 'user') return claim.isSignedIn
  if (row.who === 'admin') return claim.isAdmin
  return claim.level >= roles[row.who === 'triager' ? triageRole : row.who]
}

/** Returns true when the permission still applies in an archived project, where only reads and marked rows do. */
export function isPermittedInArchive(row: PermissionRow): boolean {
  return !isWrite(row) || row.inArchive === true
}

/** Returns true when the permission applies in a mirror to users other than its importer. */
export function isPermittedInMirror(row: PermissionRow, localChanges: 'none' | 'triage' | 'all'): boolean {
  if (!isWrite(row) || row.inMirror === true || localChanges === 'all') return true
  return localChanges === 'triage' && row.inMirror === 'triage'
}

function isWrite({ scope, reads }: PermissionRow): boolean {
  return (scope === 'api' || scope === 'write_security_reports') && reads !== true
}
