import { Failure, forbidden, reportRejected } from '../../../platform/failure.ts'
import type { Caller } from '../../access/callers.ts'
import type { Deps } from '../../deps.ts'
import { isStillPermitted, type Requester } from '../../projects/current-rights.ts'
import type { Project } from '../../projects/project.ts'
import { findProjectById } from '../../projects/projects.ts'
import type { IngestOptions } from './import.ts'
import { Superseded } from './superseded.ts'

type Options = Pick<IngestOptions, 'promote'>

/** Rejects `promote=true` from a user who may import reports but not promote findings. */
export async function assertMayPromote(
  deps: Deps,
  project: Project,
  { user, token, isAdmin }: Caller,
  { promote }: Options,
): Promise<void> {
  if (!promote) return
  if (!token.scopes.includes('api')) throw new Failure({ kind: 'scope-too-small', accepted: ['api'] })
  const sender = { userId: user.id, asAdmin: isAdmin }
  if (await isStillPermitted(deps, 'vulnerability.create', project, sender)) return
  const role = deps.settings.triageRole === 'developer' ? 'Developer' : 'Maintainer'
  throw forbidden(`promote=true requires the right to promote findings (role ${role}). Send the report without it.`)
}

/** Rejects a report for the default branch sent with a token of a trust relation that does not permit it. */
export function assertMayReport({ defaultBranch }: Project, { token }: Caller, ref: string | undefined): void {
  if (token.reportsDefaultBranch !== false || (ref ?? defaultBranch) !== defaultBranch) return
  throw forbidden(
    `The trust relation does not permit this token to report for the default branch ${defaultBranch}. ` +
      'Name another ref, or use a token with the claims that default_branch_claims requires',
  )
}

/** Fields of a queued import that are needed to check the current permissions of its sender. */
export interface QueuedImport extends Requester {
  projectId: number
  options: Options
}

/** Rejects an import whose sender has lost the required permission since the request. */
export async function assertStillAllowed(deps: Deps, queued: QueuedImport): Promise<void> {
  if (!(await isStillAllowed(deps, 'report.create', queued))) {
    throw reportRejected([lost('The user who sent the report may no longer import reports into this project.')])
  }
  if (queued.options.promote && !(await mayStillPromote(deps, queued))) {
    throw reportRejected([lost('The user who sent the report with promote=true may no longer promote findings.')])
  }
}

/**
 * Returns whether the import may still promote findings. When the project setting promotes them, a maintainer has
 * decided so, and the sender needs no permission to promote.
 */
export function mayStillPromote(deps: Deps, queued: QueuedImport): Promise<boolean> {
  return isStillAllowed(deps, queued.options.promote ? 'vulnerability.create' : 'report.create', queued)
}

async function isStillAllowed(
  deps: Deps,
  permission: 'report.create' | 'vulnerability.create',
  queued: QueuedImport,
): Promise<boolean> {
  const project = await findProjectById(deps.db, queued.projectId)
  if (!project) throw new Superseded()
  return isStillPermitted(deps, permission, project, queued)
}

export const lostRights = 'forbidden'

const lost = (message: string) => ({ type: lostRights, message, pointer: '' })
