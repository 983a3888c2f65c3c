import type { RootDeps } from '../../deps.ts'
import { isStillPermitted } from '../../projects/current-rights.ts'
import type { Project } from '../../projects/project.ts'
import { listProjectsById } from '../../projects/projects.ts'
import type { Visitor } from '../../projects/visible.ts'
import { readEvidence } from '../list/evidence.ts'
import type { ListScope } from '../list/filter.ts'
import { type BulkPromotion, queuePromotion } from './promote-many.ts'

interface ScopePromotion {
  started: { project: Project; promotion: BulkPromotion }[]
  /** Projects whose findings the author may not promote, or that are archived. */
  skipped: Project[]
}

/**
 * Queues the promotion of all findings that await it on the default branches of the projects. Each project is promoted on its
 * own: the rights of the author are checked for each now, and again when its job runs.
 */
export async function promoteWaiting(deps: RootDeps, author: Visitor, scope: ListScope): Promise<ScopePromotion> {
  const { waiting } = await readEvidence(deps.db, scope)
  const requester = { userId: author.user.id, asAdmin: author.isAdmin }
  const result: ScopePromotion = { started: [], skipped: [] }
  for (const project of await listProjectsById(deps.db, [...waiting])) {
    if (await isStillPermitted(deps, 'vulnerability.create', project, requester)) {
      result.started.push({ project, promotion: await queuePromotion(deps, project, author) })
    } else {
      result.skipped.push(project)
    }
  }
  return result
}
