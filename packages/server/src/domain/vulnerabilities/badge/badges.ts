import { notFound } from '../../../platform/failure.ts'
import { projectEntity } from '../../audit/audit-event.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import { type Deps, type RootDeps, transaction } from '../../deps.ts'
import type { Project } from '../../projects/project.ts'
import { projectScope } from '../list/filter.ts'
import { readStatistics } from '../list/statistics.ts'
import { deleteBadge, findBadge, findBadgeByKey, type PublishedBadge, upsertBadge } from './badge-queries.ts'
import { type Badge, drawBadge } from './draw-badge.ts'

/** What a badge shows: open critical and high vulnerabilities, or the grade. */
export type BadgeContent = 'counts' | 'grade'

/** Draws the badge of a project as SVG. */
export async function readBadge(deps: RootDeps, projectId: number, content: BadgeContent): Promise<string> {
  const { active, letterGrade, waitingFindings } = await readStatistics(deps, projectScope(projectId))
  if (content === 'grade') {
    const badge = { label: 'security grade', color: letterGrade ? gradeColors[letterGrade] : 'gray' } as const
    return drawBadge({ ...badge, text: letterGrade ?? (waitingFindings > 0 ? 'needs triage' : 'unknown') })
  }
  const { critical, high } = active
  const label = 'vulnerabilities'
  if (critical === 0 && high === 0) {
    // Without a grade, nothing was scanned or findings await triage.
    if (letterGrade === null)
      return drawBadge({ label, text: waitingFindings > 0 ? 'needs triage' : 'unknown', color: 'gray' })
    return drawBadge({ label, text: 'no critical or high', color: 'green' })
  }
  const parts = [critical > 0 && `${critical} critical`, high > 0 && `${high} high`].filter(Boolean)
  return drawBadge({ label, text: parts.join(', '), color: critical > 0 ? 'red' : 'orange' })
}

const gradeColors = { A: 'green', B: 'green', C: 'yellow', D: 'orange', F: 'red' } as const satisfies Record<
  string,
  Badge['color']
>

/** Returns the project of a published badge. Unknown and revoked keys look the same. */
export async function findBadgeProject({ db }: Deps, key: string): Promise<number> {
  const found = await findBadgeByKey(db, key)
  if (!found) throw notFound()
  return found.projectId
}

export const getBadge = ({ db }: Deps, project: Project): Promise<PublishedBadge | undefined> =>
  findBadge(db, project.id)

/** Publishes the badge at a new, unguessable address; a former address stops working. */
export function publishBadge(deps: Deps, project: Project): Promise<PublishedBadge> {
  return transaction(deps, async (deps) => {
    const badge = { projectId: project.id, key: deps.random(16).toString('hex'), createdAt: deps.now() }
    await upsertBadge(deps.db, badge)
    await recordAuditEvent(deps, 'vulnerability_badge_published', {
      entity: projectEntity(project),
      message: 'Published the vulnerability badge',
    })
    return badge
  })
}

/** Revokes the public address of the badge. */
export function revokeBadge(deps: Deps, project: Project): Promise<void> {
  return transaction(deps, async (deps) => {
    if (!(await deleteBadge(deps.db, project.id))) throw notFound()
    await recordAuditEvent(deps, 'vulnerability_badge_revoked', {
      entity: projectEntity(project),
      message: 'Revoked the public address of the vulnerability badge',
    })
  })
}
