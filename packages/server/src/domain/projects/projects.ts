import {
  Failure,
  forbidden,
  type InvalidAttributes,
  invalid,
  limitReached,
  notFound,
  refused,
  unchanged,
} from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { isWider, roles, type Visibility, visibilitiesBeyond } from '../access/roles.ts'
import { type AuditedChanges, changesBetween, projectEntity } from '../audit/audit-event.ts'
import type { AuditEventName } from '../audit/event-name.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, transaction } from '../deps.ts'
import { assertUnmirrored } from '../import-sources/mirrors.ts'
import { makeOwner } from '../members/members.ts'
import { redirectProject, removeMovedPaths } from '../namespaces/moved-paths.ts'
import { lineageOf, type Namespace } from '../namespaces/namespace.ts'
import { getNamespace } from '../namespaces/namespace-list.ts'
import { findNamespaceById, findOwnNamespace, findPromotionSetting, lockNamespace } from '../namespaces/namespaces.ts'
import { fullPathProblems, pathFromName, projectProblems } from '../namespaces/paths.ts'
import type { Optional } from '../optional.ts'
import type { User } from '../users/user.ts'
import type { Project } from './project.ts'
import {
  adjustStarCount,
  countProjectsIn,
  deleteProjectById,
  deleteStar,
  findProjectById,
  findTaken,
  insertProject,
  insertStar,
  lockProject,
  narrowVisibilitiesBelow,
  type ProjectDraft,
  updateAppliedExposure,
  updateProject,
  updateProjectPathsBelow,
  updateStarCounts,
  updateUploadLimits,
} from './project-queries.ts'
import { queueDueDates } from './queue-due-dates.ts'
import { queueRules } from './queue-rules.ts'
import { queueTransferredFlaws } from './queue-transferred-flaws.ts'
import { groupLevel, projectLevel, type Visitor } from './visible.ts'

export {
  findProjectById,
  hasWrongStarCount,
  listProjectIds,
  listProjectIdsBelow,
  listProjectsById,
  listStarredProjectIds,
  lockAgainstDeletion,
  lockProject,
  lockProjects,
} from './project-queries.ts'

/** Attributes of a new project. A missing name or path is derived from the other one. */
export interface NewProject extends Optional<ProjectDraft> {
  /** Defaults to the creator's own namespace. */
  namespaceId?: number | undefined
  /** Whether the project promotes findings if neither the draft nor a group decides. Default: the server's setting. */
  promotesByDefault?: boolean | undefined
}

export function createProject(deps: Deps, creator: Visitor, fresh: NewProject): Promise<Project> {
  return transaction(deps, async (deps) => {
    const namespace = await namespaceFor(deps, creator, fresh.namespaceId)
    const promoteOnIngestion = fresh.promoteOnIngestion ?? (await promotionFor(deps, fresh, namespace))
    const draft = draftFrom({ ...fresh, promoteOnIngestion }, namespace)
    const problems = { ...fullPathProblems(`${namespace.fullPath}/${draft.path}`), ...projectProblems(draft) }
    if (Object.keys(problems).length > 0) throw invalid(problems)

    const id = await insertProject(deps.db, namespace, { draft, creatorId: creator.user.id, now: deps.now() })
    if (id === undefined) throw await taken(deps, namespace, draft, null)
    await removeMovedPaths(deps, `${namespace.fullPath}/${draft.path}`)
    if (namespace.ownerId !== null) await makeOwner(deps, { projectId: id }, namespace.ownerId, creator.user.id)
    const created = await reload(deps, id)
    await recordProject(deps, 'project_created', created, { message: 'Created the project' })
    return created
  })
}

export type ProjectChange = Optional<ProjectDraft & Pick<Project, 'isArchived'>>

/** Project before and after a change. */
export interface Change {
  before: Project
  after: Project
}

/** Updates a project. Only owners may change path, visibility and archived state. Reads both states under a lock. */
export function changeProject(deps: Deps, caller: Caller, id: number, change: ProjectChange): Promise<Change> {
  return transaction(deps, async (deps) => {
    const before = await lockProjectAndNamespaces(deps, id)
    const after = { ...before, ...given(change) }
    after.fullPath = `${before.namespace.fullPath}/${after.path}`
    const isOwnersMatter =
      after.path !== before.path || after.visibility !== before.visibility || after.isArchived !== before.isArchived
    if (isOwnersMatter && (await projectLevel(deps, before, caller)) < roles.owner) throw forbidden()

    const problems = {
      ...(after.path === before.path ? {} : fullPathProblems(after.fullPath)),
      ...projectProblems(change),
      ...(after.visibility === before.visibility ? {} : visibilityProblems(after.visibility, before.namespace)),
    }
    if (Object.keys(problems).length > 0) throw invalid(problems)
    const { name, path } = await findTaken(deps.db, {
      namespaceId: before.namespace.id,
      name: after.name,
      fullPath: after.fullPath,
      exceptId: id,
    })
    if (name || path) throw await taken(deps, before.namespace, after, id)
    await move(deps, before, after)
    const changed = await reload(deps, id)
    await recordProjectChange(deps, before, changed)
    return { before, after: changed }
  })
}

/**
 * Transfers a project to a namespace in which the caller may create projects. The old path redirects to the new one.
 */
export function transferProject(deps: Deps, caller: Caller, id: number, reference: string): Promise<Change> {
  return transaction(deps, async (deps) => {
    const { id: targetId } = await getNamespace(deps, caller, reference)
    const before = await lockProjectAndNamespaces(deps, id, targetId)
    const target = await findNamespaceById(deps.db, targetId)
    if (!target) throw notFound('Namespace')
    await assertTransferable(deps, caller, before, target)

    const visibility = narrower(before.visibility, target)
    const fullPath = `${target.fullPath}/${before.path}`
    await move(deps, before, { ...before, namespace: target, fullPath, visibility })
    if (target.ownerId !== null) await makeOwner(deps, { projectId: id }, target.ownerId, caller.user.id)
    await queueDueDates(deps, { kind: 'project', id })
    await queueRules(deps, { kind: 'project', id })
    await queueTransferredFlaws(deps, { kind: 'project', id })
    const changed = await reload(deps, id)
    await recordProject(deps, 'project_transferred', changed, {
      message: 'Transferred the project',
      changes: differences(before, changed),
    })
    return { before, after: changed }
  })
}

async function assertTransferable(deps: Deps, caller: Caller, project: Project, target: Namespace): Promise<void> {
  const refuse = (reason: string) => refused(`Failed to transfer project {:new_namespace=>["${reason}"]}`)
  if (target.id === project.namespace.id) throw refuse('Project is already in this namespace.')
  if ((await groupLevel(deps, target, caller)) < roles.maintainer) {
    throw refuse("You don't have permission to transfer projects into that namespace.")
  }
  await assertUnmirrored(deps, 'group', [target.id])
  if (target.organizationId !== project.organizationId) {
    throw refuse('Project is in another organization than the namespace.')
  }
  const fullPath = `${target.fullPath}/${project.path}`
  const { path: [tooLong] = [] } = fullPathProblems(fullPath)
  if (tooLong !== undefined) throw refuse(`Path ${tooLong}`)
  const { name, path } = await findTaken(deps.db, {
    namespaceId: target.id,
    name: project.name,
    fullPath,
    exceptId: project.id,
  })
  if (name || path) throw refuse('Project with same name or path in target namespace already exists')
}

/** Updates the full paths of all projects in a renamed namespace and below it. */
export async function moveProjectsBelow({ db }: Deps, before: Namespace, after: Namespace): Promise<void> {
  if (after.fullPath !== before.fullPath) await updateProjectPathsBelow(db, before, after)
}

/** Limits the visibility of all projects in a namespace and below it. Returns the ids of those that were more visible. */
export async function narrowProjectsBelow(deps: Deps, namespace: Namespace, visibility: Visibility): Promise<number[]> {
  const from = visibilitiesBeyond(visibility)
  return narrowVisibilitiesBelow(deps.db, namespace, { from, to: visibility, now: deps.now() })
}

/** Sets the upload limits. Null removes a limit. */
export function changeUploadLimits(
  deps: Deps,
  project: Project,
  limits: Pick<Project, 'maxUploadBytes' | 'uploadQuotaBytes'>,
): Promise<Project> {
  return transaction(deps, async (deps) => {
    await updateUploadLimits(deps.db, project.id, limits.maxUploadBytes, limits.uploadQuotaBytes)
    const changed = { ...project, ...limits }
    await recordProjectChange(deps, project, changed)
    return changed
  })
}

const auditedAttributes = {
  name: 'name',
  fullPath: 'path',
  visibility: 'visibility',
  description: 'description',
  defaultBranch: 'default_branch',
  isArchived: 'archived',
  enforceAuthChecksOnUploads: 'enforce_auth_checks_on_uploads',
  promoteOnIngestion: 'promote_on_ingestion',
  maxAbsentPercent: 'max_absent_percent',
  defaultBranchReportRole: 'default_branch_report_role',
  acceptReportersFiles: 'accept_reporters_files',
  exposure: 'exposure',
  autoResolve: 'auto_resolve_vulnerabilities',
  maxUploadBytes: 'max_upload_bytes',
  uploadQuotaBytes: 'upload_quota_bytes',
} as const

const differences = (before: Project, after: Project) => changesBetween(before, after, auditedAttributes)

async function recordProjectChange(deps: Deps, before: Project, after: Project): Promise<void> {
  const changes = differences(before, after)
  const names = Object.keys(changes)
  if (names.length === 0) return
  if (names.join() !== 'archived')
    return recordProject(deps, 'project_updated', after, { message: 'Changed the project', changes })
  const [name, verb] = after.isArchived
    ? (['project_archived', 'Archived'] as const)
    : (['project_unarchived', 'Unarchived'] as const)
  await recordProject(deps, name, after, { message: `${verb} the project`, changes })
}

function recordProject(
  deps: Deps,
  name: AuditEventName,
  project: Project,
  draft: { message: string; changes?: AuditedChanges },
): Promise<void> {
  return recordAuditEvent(deps, name, { entity: projectEntity(project), ...draft })
}

/** Deletes a project's row. The database cascades to all rows that belong to the project. */
export async function deleteProject({ db }: Deps, id: number): Promise<void> {
  await deleteProjectById(db, id)
}

/** Counts the stars of these projects again, after they have been locked. */
export async function recountStars({ db }: Deps, projectIds: readonly number[]): Promise<void> {
  await updateStarCounts(db, projectIds)
}

/** Throws `unchanged` when the caller has already starred the project. */
export function starProject(deps: Deps, caller: Caller, project: Project): Promise<Project> {
  return transaction(deps, async (deps) => {
    if (!(await insertStar(deps.db, project.id, caller.user.id, deps.now()))) throw unchanged()
    await adjustStarCount(deps.db, project.id, 1)
    return reload(deps, project.id)
  })
}

/** Throws `unchanged` when the caller has not starred the project. */
export function unstarProject(deps: Deps, caller: Caller, project: Project): Promise<Project> {
  return transaction(deps, async (deps) => {
    if (!(await deleteStar(deps.db, project.id, caller.user.id))) throw unchanged()
    await adjustStarCount(deps.db, project.id, -1)
    return reload(deps, project.id)
  })
}

/** Returns the locked namespace of a new project, so that its path and contents cannot change concurrently. */
async function namespaceFor(deps: Deps, creator: Visitor, id: number | undefined): Promise<Namespace> {
  const { user, isAdmin } = creator
  const wanted = id ?? (await findOwnNamespace(deps.db, user.id))?.id
  const namespace = wanted === undefined ? undefined : await lockNamespace(deps.db, wanted)
  if (namespace?.ownerId === user.id) {
    await assertRoom(deps, user, namespace)
    return namespace
  }
  const mayCreate = isAdmin || (await mayCreateIn(deps, creator, namespace))
  if (!namespace || !mayCreate) {
    throw invalid({ namespace: ['is not valid'] })
  }
  await assertUnmirrored(deps, 'group', [namespace.id])
  return namespace
}

async function mayCreateIn(deps: Deps, creator: Visitor, namespace: Namespace | undefined): Promise<boolean> {
  const level = await groupLevel(deps, namespace, creator)
  return namespace?.kind === 'group' && level >= roles.developer
}

async function assertRoom(deps: Deps, user: User, namespace: Namespace): Promise<void> {
  const limit = user.isExternal && !user.isAdmin ? 0 : user.projectsLimit
  if (limit > 0 && (await countProjectsIn(deps.db, namespace.id)) < limit) return
  throw limitReached(
    limit > 0
      ? `You've reached your limit of ${limit} projects created. Contact your GitLab administrator.`
      : 'You cannot create projects in your personal namespace. Contact your GitLab administrator.',
  )
}

async function promotionFor(deps: Deps, fresh: NewProject, namespace: Namespace): Promise<boolean> {
  const ofGroup = await findPromotionSetting(deps.db, lineageOf(namespace))
  return ofGroup ?? fresh.promotesByDefault ?? deps.settings.promotesByDefault
}

function draftFrom(fresh: NewProject, namespace: Namespace) {
  const [name, path] = [fresh.name?.trim() ?? '', fresh.path?.trim() ?? '']
  return {
    name: name || path,
    path: path || pathFromName(name),
    description: fresh.description ?? null,
    visibility: narrower(fresh.visibility ?? 'private', namespace),
    defaultBranch: fresh.defaultBranch || 'main',
    enforceAuthChecksOnUploads: fresh.enforceAuthChecksOnUploads ?? true,
    promoteOnIngestion: fresh.promoteOnIngestion ?? false,
    maxAbsentPercent: fresh.maxAbsentPercent === undefined ? 50 : fresh.maxAbsentPercent,
    defaultBranchReportRole: fresh.defaultBranchReportRole ?? 'developer',
    acceptReportersFiles: fresh.acceptReportersFiles ?? false,
    refRetentionDays: fresh.refRetentionDays ?? null,
    protectedRefs: fresh.protectedRefs ?? [],
    exposure: fresh.exposure ?? 'unknown',
    autoResolve: fresh.autoResolve ?? false,
  }
}

/** Limits the visibility of a new project to that of its group, silently, as GitLab does. */
function narrower(visibility: Visibility, { kind, visibility: max }: Namespace): Visibility {
  return kind === 'group' && isWider(visibility, max) ? max : visibility
}

function visibilityProblems(visibility: Visibility, { kind, visibility: max }: Namespace): InvalidAttributes {
  if (kind !== 'group' || !isWider(visibility, max)) return {}
  return { visibility_level: [`${visibility} is not allowed in a ${max} group.`] }
}

/** Locks the project, its namespace, and the namespace that it is transferred to. */
async function lockProjectAndNamespaces(deps: Deps, id: number, targetId?: number): Promise<Project> {
  for (;;) {
    const { namespace } = await reload(deps, id)
    const ids = new Set(targetId === undefined ? [namespace.id] : [namespace.id, targetId])
    // Locking the namespace serialises its writers, so that two projects cannot take the same name.
    for (const heldId of [...ids].sort((a, b) => a - b)) await lockNamespace(deps.db, heldId)
    await lockProject(deps.db, id)
    const held = await reload(deps, id)
    if (ids.has(held.namespace.id)) return held
    // The project was transferred before it was locked, so try again.
  }
}

/** Updates the project and redirects its old path. */
async function move(deps: Deps, before: Project, after: Project): Promise<void> {
  await updateProject(deps.db, after, deps.now())
  await redirectProject(deps, before, after)
}

async function reload(deps: Deps, id: number): Promise<Project> {
  const project = await findProjectById(deps.db, id)
  if (!project) throw new Failure({ kind: 'not-found', noun: 'Project' })
  return project
}

function given(change: ProjectChange): Partial<Project> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

async function taken(
  deps: Deps,
  namespace: Namespace,
  draft: { name: string; path: string },
  exceptId: number | null,
): Promise<Failure> {
  const fullPath = `${namespace.fullPath}/${draft.path}`
  const { name, path } = await findTaken(deps.db, { namespaceId: namespace.id, name: draft.name, fullPath, exceptId })
  const messages = ['has already been taken']
  return invalid({
    ...(name && { 'project_namespace.name': messages, name: messages }),
    ...(path && { path: messages }),
  })
}

/** Records that the vulnerabilities of a project have this exposure. */
export function confirmExposure({ db }: Deps, projectId: number, exposure: string): Promise<void> {
  return updateAppliedExposure(db, projectId, exposure)
}
