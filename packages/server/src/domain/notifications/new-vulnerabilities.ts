import { instanceUrl } from '../../platform/settings/settings.ts'
import { roles } from '../access/roles.ts'
import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { lineageOf } from '../namespaces/namespace.ts'
import { isStillPermitted } from '../projects/current-rights.ts'
import { findProjectById } from '../projects/projects.ts'
import {
  advanceAllCursors,
  advanceCursor,
  countUrgentBySeverity,
  listProjectsWithUrgent,
  type ProjectWithUrgent,
  type UrgentRange,
  worstUrgent,
} from './new-vulnerability-queries.ts'
import { notificationKind } from './notification-kind.ts'
import { queueFor } from './notify.ts'
import { listSubscribedMembers } from './recipient-queries.ts'

interface NewVulnerabilities {
  project_id: number
  /** Creation of the vulnerabilities, from exclusive until inclusive. */
  from: string
  until: string
}

const maxListed = 10

/** New critical and high vulnerabilities of a project, for members who may read them. */
export const newVulnerabilitiesMail = notificationKind<NewVulnerabilities>({
  name: 'new_vulnerabilities',
  async describe(deps, { id: userId }, { project_id: projectId, from, until }) {
    const project = await findProjectById(deps.db, projectId)
    if (!project || !(await isStillPermitted(deps, 'vulnerability.list', project, { userId, asAdmin: false }))) {
      return undefined
    }
    const range = { projectId, from, until }
    const counts = await countUrgentBySeverity(deps.db, range)
    const total = counts.critical + counts.high
    // All of them were dismissed or resolved before the message was sent.
    if (total === 0) return undefined
    const base = instanceUrl(deps.settings)
    const listed = await worstUrgent(deps.db, range, maxListed)
    const list = listed.map(({ id, title, severity }) => ({
      text: `${severity}: ${title}`,
      url: `${base}/-/vulnerabilities/${id}`,
    }))
    const more = total - listed.length
    const what = `${counts.critical} critical and ${counts.high} high`
    return {
      subject: `${project.fullPath}: ${what} new ${total === 1 ? 'vulnerability' : 'vulnerabilities'}`,
      blocks: [
        `${project.fullPath} has ${what} new ${total === 1 ? 'vulnerability' : 'vulnerabilities'} on its default branch.`,
        { list: more > 0 ? [...list, { text: `and ${more} more` }] : list },
        {
          link: 'Show the vulnerabilities of the project',
          url: `${base}/${project.fullPath}/-/security/vulnerability_report`,
        },
      ],
    }
  },
})

/** Transactions that are still open may hold vulnerabilities with an earlier time. */
const settlingMs = 60_000
/** Time for which vulnerabilities wait for further imports of their project, so that one message covers them. */
const maxWaitMs = 15 * 60_000
const lookBackMs = 24 * 60 * 60 * 1000

/**
 * Queues one message per project and member for the critical and high vulnerabilities that were created since the last
 * one. It finds them by their time of creation, so that imports and promotions pay nothing for it.
 */
export async function announceVulnerabilities(deps: RootDeps): Promise<void> {
  if (!deps.settings.mail) return
  const at = Date.parse(deps.now())
  const times = {
    since: new Date(at - lookBackMs).toISOString(),
    until: new Date(at - settlingMs).toISOString(),
    overdue: new Date(at - maxWaitMs).toISOString(),
  }
  for (const found of await listProjectsWithUrgent(deps.db, times)) await announce(deps, found, times.since)
}

/** Announces no vulnerability of a restored backup, since the former server may have done it after the backup. */
export function skipRestoredVulnerabilities({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<void> {
  return advanceAllCursors(db, now())
}

function announce(deps: Deps, found: ProjectWithUrgent, since: string): Promise<void> {
  return transaction(deps, async (deps) => {
    const project = await findProjectById(deps.db, found.projectId)
    if (!project || !(await advanceCursor(deps.db, found))) return
    const range: UrgentRange = { projectId: project.id, from: found.announcedUntil ?? since, until: found.newest }
    const userIds = await listSubscribedMembers(
      deps.db,
      { projectId: project.id, namespaceIds: lineageOf(project.namespace) },
      { name: 'new_vulnerabilities', level: roles.developer, today: deps.now().slice(0, 10) },
    )
    const data = { project_id: project.id, from: range.from, until: range.until }
    await queueFor(deps, newVulnerabilitiesMail, {
      key: `new-vulnerabilities:${project.id}:${range.until}`,
      userIds,
      data,
    })
  })
}
