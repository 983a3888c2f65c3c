import { instanceUrl } from '../../platform/settings/settings.ts'
import { roles } from '../access/roles.ts'
import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { type MailItem, shownTime } from '../mail/mail.ts'
import { currentVisitor } from '../projects/current-rights.ts'
import type { Project } from '../projects/project.ts'
import { listProjectsById } from '../projects/projects.ts'
import { listReachedProjectIds } from '../projects/reached.ts'
import { countChanges, noChanges, type ProjectChanges } from './digest-changes.ts'
import { listOpenCounts, type OpenCount } from './digest-queries.ts'
import { notificationKind } from './notification-kind.ts'
import { queueFor } from './notify.ts'
import { insertMailEvent, listDigestReaders } from './recipient-queries.ts'

interface Digest {
  period: 'daily' | 'weekly'
  /** Exclusive. */
  from: string
  /** Inclusive. */
  until: string
}

const maxProjects = 50

/** Changes in the projects of a member whose vulnerabilities they may read. Without changes there is no message. */
export const digestMail = notificationKind<Digest>({
  name: 'digest',
  async describe(deps, { id: userId, settings }, { period, from, until }) {
    if (settings.digest !== period) return undefined
    const visitor = await currentVisitor(deps, { userId, asAdmin: false })
    if (!visitor) return undefined
    const readable = await listReachedProjectIds(deps, visitor, roles.developer, {})
    const changes = await countChanges(deps, { from, until })
    const ids = readable.filter((id) => changes.has(id))
    if (ids.length === 0) return undefined
    const [projects, open] = await Promise.all([
      listProjectsById(deps.db, ids.slice(0, maxProjects)),
      listOpenCounts(deps.db, ids.slice(0, maxProjects)),
    ])
    const base = instanceUrl(deps.settings)
    const list = projects.map((project) => itemOf(base, project, changes.get(project.id) ?? noChanges, open))
    const more = ids.length - projects.length
    return {
      subject: `${period === 'daily' ? 'Daily' : 'Weekly'} digest: ${sumUp(ids, changes)}`,
      blocks: [
        `Vulnerabilities of your projects from ${shownTime(from)} to ${shownTime(until)} UTC:`,
        { list: more > 0 ? [...list, { text: `and ${more} more projects with changes` }] : list },
        { link: 'Show the vulnerabilities of all projects', url: `${base}/-/vulnerabilities` },
      ],
    }
  },
})

function itemOf(
  base: string,
  { id, fullPath }: Project,
  changes: ProjectChanges,
  open: readonly OpenCount[],
): MailItem {
  const counts = open
    .filter(({ projectId }) => projectId === id)
    .map(({ severity, total }) => `${total} ${severity}`)
    .join(', ')
  const severe = [`${changes.critical} critical`, `${changes.high} high`]
    .filter((text) => !text.startsWith('0 '))
    .join(', ')
  return {
    text: `${fullPath}: ${changes.fresh} new${severe && ` (${severe})`}, ${changes.resolved} resolved; open: ${counts || 'none'}`,
    url: `${base}/${fullPath}/-/security/vulnerability_report`,
  }
}

function sumUp(ids: readonly number[], changes: ReadonlyMap<number, ProjectChanges>): string {
  const sum = (key: 'fresh' | 'resolved') => ids.reduce((total, id) => total + (changes.get(id)?.[key] ?? 0), 0)
  return `${sum('fresh')} new, ${sum('resolved')} resolved`
}

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
/** Time of day at which periods end, in UTC. */
const endHour = 6
/** A server that was down at the end of a period sends the digest up to this much later. */
const maxDelayMs = 12 * hourMs
const batchSize = 500

/** Queues the digests of the period that has ended last, once. */
export async function announceDigests(deps: RootDeps): Promise<void> {
  if (!deps.settings.mail) return
  for (const period of ['daily', 'weekly'] as const) {
    const end = endOf(period, Date.parse(deps.now()))
    if (Date.parse(deps.now()) - end > maxDelayMs) continue
    const [from = '', until = ''] = [end - (period === 'daily' ? 1 : 7) * dayMs, end].map((at) =>
      new Date(at).toISOString(),
    )
    await queueDigests(deps, { period, from, until })
  }
}

/** Sends no digest of a period that ended before a restore, since the former server may have sent it. */
export async function skipEndedDigests({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<void> {
  for (const period of ['daily', 'weekly'] as const) {
    const until = new Date(endOf(period, Date.parse(now()))).toISOString()
    await insertMailEvent(db, keyOf({ period, until }), now())
  }
}

/** Returns the end of the last full day, or of the last full week, which ends on Monday. */
export function endOf(period: 'daily' | 'weekly', now: number): number {
  const end = Math.floor((now - endHour * hourMs) / dayMs) * dayMs + endHour * hourMs
  const daysSinceMonday = (new Date(end).getUTCDay() + 6) % 7
  return period === 'daily' ? end : end - daysSinceMonday * dayMs
}

const keyOf = ({ period, until }: Pick<Digest, 'period' | 'until'>) => `digest:${period}:${until.slice(0, 10)}`

function queueDigests(deps: RootDeps, digest: Digest): Promise<void> {
  const key = keyOf(digest)
  return transaction(deps, async (deps) => {
    if (!(await insertMailEvent(deps.db, key, deps.now()))) return
    for (let afterId = 0; ; ) {
      const userIds = await listDigestReaders(deps.db, digest.period, afterId, batchSize)
      await queueFor(deps, digestMail, { key, userIds, data: digest })
      const last = userIds.at(-1)
      if (last === undefined || userIds.length < batchSize) return
      afterId = last
    }
  })
}
