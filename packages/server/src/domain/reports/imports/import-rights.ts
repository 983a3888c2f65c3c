import { Failure, forbidden, reportRejected } from '../../../platform/failure.ts'
import type { Caller } from '../../access/callers.ts'
import type { Deps } from '../../deps.ts'
import { currentRights, isStillPermitted, type Requester } from '../../projects/current-rights.ts'
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

/** Rejects a report for the default branch from a sender whose trust relation or role does not permit it. */
export async function assertMayReport(
  deps: Deps,
  project: Project,
  { user, token, isAdmin }: Caller,
  ref: string | undefined,
): Promise<void> {
  const { defaultBranch } = project
  if ((ref ?? defaultBranch) !== defaultBranch) return
  if (token.reportsDefaultBranch === false) {
    throw forbidden(
      `The trust relation does not permit this token to report for the default branch ${defaultBranch}. ` +
        'Name another ref, or use a token with the claims that default_branch_claims requires',
    )
  }
  const sender = { userId: user.id, asAdmin: isAdmin, isIssued: isIssuedToReport({ user, token }) }
  if (!(await mayReport(deps, project, sender))) throw forbidden(`${roleTooLow(project)}.`)
}

/**
 * Returns whether a maintainer has permitted this token to send reports: it belongs to a trust relation, or it is an access
 * token of a project or group with the scope for reports.
 */
export function isIssuedToReport({ user, token }: Pick<Caller, 'user' | 'token'>): boolean {
  return token.kind === 'trust' || (user.isBot && token.scopes.includes('write_security_reports'))
}

/** Returns whether the sender may report for the default branch by the setting of the project. */
async function mayReport(
  deps: Deps,
  project: Project,
  { isIssued, ...sender }: Requester & { isIssued: boolean },
): Promise<boolean> {
  if (project.defaultBranchReportRole === 'developer' || isIssued) return true
  // The permission of maintainers to decide what a report of the default branch may change.
  return isStillPermitted(deps, 'report.absences', project, sender)
}

const roleTooLow = ({ defaultBranch }: Project) =>
  `Reports for the default branch ${defaultBranch} require the role Maintainer in this project, a project or group access ` +
  'token with the scope write_security_reports, or a trust relation. Name another ref, or use such a token'

/** Fields of a queued import that are needed to check the current permissions of its sender. */
export interface QueuedImport extends Requester {
  projectId: number
  ref: string
  options: Options & Pick<IngestOptions, 'isIssued' | 'hasTriageScope'>
}

/**
 * Rejects an import whose sender has lost the required permission since the request. Returns why the suppressions that
 * the report states have no effect, or undefined if they have.
 */
export async function assertStillAllowed(deps: Deps, queued: QueuedImport): Promise<string | undefined> {
  const project = await findProjectById(deps.db, queued.projectId)
  if (!project) throw new Superseded()
  const isPermitted = await currentRights(deps, project, queued)
  if (!isPermitted('report.create')) {
    throw reportRejected([lost('The user who sent the report may no longer import reports into this project.')])
  }
  const sender = { userId: queued.userId, asAdmin: queued.asAdmin, isIssued: queued.options.isIssued === true }
  if (queued.ref === project.defaultBranch && !(await mayReport(deps, project, sender))) {
    throw reportRejected([lost(`${roleTooLow(project)}.`)])
  }
  if (queued.options.promote && !(await mayStillPromote(deps, queued))) {
    throw reportRejected([lost('The user who sent the report with promote=true may no longer promote findings.')])
  }
  const hasTriageScope = queued.options.hasTriageScope === true
  return refuseSuppressions(project, queued.ref, hasTriageScope && isPermitted('vulnerability.bulk'))
}

/** Returns why suppressed entries of a report are skipped, or undefined if they have effects, as project files have. */
export function refuseSuppressions(project: Project, ref: string, mayTriage: boolean): string | undefined {
  const { defaultBranch } = project
  if (ref !== defaultBranch)
    return `Suppressions have effects only in a report for the default branch ${defaultBranch}.`
  if (mayTriage || project.acceptReportersFiles) return undefined
  return (
    'The sender may not triage vulnerabilities of this project with this token, and the project does not accept the ' +
    'decisions of other senders (accept_reporters_files).'
  )
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
