import { Failure, notFound } from '../../../platform/failure.ts'
import { projectEntity } from '../../audit/audit-event.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import { type Deps, projectTransaction, type RootDeps } from '../../deps.ts'
import { compareOpen, type OpenComparison } from '../../findings/ref-comparison/open-on-refs.ts'
import { enqueue } from '../../jobs/job.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import type { Project } from '../../projects/project.ts'
import { refJob } from './close-ref.ts'
import { isProtected } from './protected-refs.ts'
import type { Ref } from './ref.ts'
import { countRefs, listRefNames, listRefs, lockRef, markDeleted } from './ref-queries.ts'

/** A ref as its project sees it. */
export interface ProjectRef extends Ref {
  isDefault: boolean
  isProtected: boolean
  /** Time at which the ref closes unless it gets a report; null if it does not. */
  closesAt: string | null
}

const dayMs = 24 * 60 * 60 * 1000

/** Returns the refs of a project, those with the newest reports first. */
export async function findRefs(deps: Deps, project: Project, page: PageRequest): Promise<Page<ProjectRef>> {
  const [rows, counted] = await Promise.all([listRefs(deps.db, project.id, page), countRefs(deps.db, project.id)])
  return pageOf(
    page,
    rows.map((ref) => inProject(deps, project, ref)),
    counted,
  )
}

function inProject({ settings }: Deps, project: Project, ref: Ref): ProjectRef {
  const isDefault = ref.name === project.defaultBranch
  const isKept = isProtected(ref.name, project.protectedRefs)
  const days = project.refRetentionDays ?? settings.refRetentionDays
  const staysOpen = isDefault || isKept || days === 0 || ref.closedAt !== null
  const closesAt = staysOpen ? null : new Date(Date.parse(ref.lastReportAt) + days * dayMs).toISOString()
  return { ...ref, isDefault, isProtected: isKept, closesAt }
}

/** Compares the open findings of two refs. Throws for a ref without reports. */
export async function compareRefsOf(
  deps: Deps,
  { id: projectId }: Project,
  { from, to }: { from: string; to: string },
): Promise<OpenComparison> {
  const known = await listRefNames(deps.db, projectId, [from, to])
  if (!known.includes(from) || !known.includes(to)) throw notFound('Ref')
  return compareOpen(deps, { projectId, ref: from, targetRef: to })
}

/**
 * Deletes a ref. It is no longer listed at once; a job removes its occurrences. Throws `refused` for the default branch
 * and for protected refs.
 */
export function deleteRef(deps: RootDeps, project: Project, name: string): Promise<void> {
  return projectTransaction(deps, project.id, async (deps) => {
    const found = await lockRef(deps.db, { projectId: project.id, name })
    if (!found || found.isDeleted) throw notFound('Ref')
    if (name === project.defaultBranch) {
      throw refused(`${name} is the default branch and cannot be deleted. Change the default branch first.`)
    }
    if (isProtected(name, project.protectedRefs)) {
      throw refused(`${name} is protected. Remove it from the protected refs of the project first.`)
    }
    await markDeleted(deps.db, found, deps.now())
    await enqueue(deps, refJob(found))
    await recordAuditEvent(deps, 'ref_destroyed', {
      entity: projectEntity(project),
      message: 'Deleted a branch or tag',
      target: { type: 'Ref', id: name, name },
    })
  })
}

const refused = (sentence: string) => new Failure({ kind: 'refused', sentence })
