import { openCache, perDatabase } from '../../db/cache.ts'
import { instanceUrl } from '../../platform/settings/settings.ts'
import { roles } from '../access/roles.ts'
import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { currentVisitor } from '../projects/current-rights.ts'
import { listProjectsById } from '../projects/projects.ts'
import { listReachedProjectIds } from '../projects/reached.ts'
import { endOf } from './digest.ts'
import { countDue, type DueCount, firstDue, listDueDateReaders } from './due-date-queries.ts'
import { notificationKind } from './notification-kind.ts'
import { queueFor } from './notify.ts'
import { insertMailEvent } from './recipient-queries.ts'

interface DueDates {
  /** Days for which the message is sent, oldest first: several after the server was down. */
  days: readonly string[]
}

const maxListed = 20

/** Vulnerabilities that are due soon or became overdue, in the projects in which the user may triage. */
export const dueDateMail = notificationKind<DueDates>({
  name: 'due_dates',
  async describe(deps, { id: userId }, { days }) {
    const today = days.at(-1)
    const visitor = await currentVisitor(deps, { userId, asAdmin: false })
    if (!visitor || today === undefined) return undefined
    const dates = [...new Set(days.flatMap(announcedDates))]
    const mayTriage = new Set(await listReachedProjectIds(deps, visitor, roles[deps.settings.triageRole], {}))
    const due = (await countCaches(deps.db).getShared(dates.join(), () => countDue(deps.db, dates))).filter(
      ({ projectId }) => mayTriage.has(projectId),
    )
    // All of them were closed before the message was sent, or got other due dates.
    if (due.length === 0) return undefined
    const projectIds = [...new Set(due.map(({ projectId }) => projectId))]
    const listed = await firstDue(deps.db, { projectIds, dates }, maxListed)
    const pathOf = new Map((await listProjectsById(deps.db, projectIds)).map(({ id, fullPath }) => [id, fullPath]))
    const base = instanceUrl(deps.settings)
    const list = listed.map(({ id, projectId, title, severity, dueOn }) => ({
      text: `${dueOn < today ? 'overdue since' : 'due on'} ${dueOn}: ${severity}: ${title} (${pathOf.get(projectId)})`,
      url: `${base}/-/vulnerabilities/${id}`,
    }))
    const overdue = total(due.filter(({ dueOn }) => dueOn < today))
    const soon = total(due) - overdue
    const more = overdue + soon - listed.length
    return {
      subject: `Due dates of vulnerabilities: ${overdue} overdue, ${soon} due soon`,
      blocks: [
        'Open vulnerabilities of your projects that became overdue, or are due within a day or in a week (UTC):',
        { list: more > 0 ? [...list, { text: `and ${more} more` }] : list },
        { link: 'Show the vulnerabilities of all projects', url: `${base}/-/vulnerabilities` },
      ],
    }
  },
})

const total = (counts: readonly DueCount[]) => counts.reduce((sum, { total }) => sum + total, 0)

const dayMs = 24 * 60 * 60 * 1000
const addDays = (day: string, days: number) => new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)

/** Returns the due dates that are announced on a day. Each due date has one such day for each kind of notice. */
const announcedDates = (day: string): string[] => [7, 1, -1].map((days) => addDays(day, days))

/** Counts by dates, which all readers of a day share while no vulnerability changes. */
const countCaches = perDatabase((changes) => openCache<DueCount[]>(changes, ['vulnerabilities', 'projects'], 2))

/** A server that was down sends what it missed on this many days, including the current one. */
const maxDays = 3
const batchSize = 500

/** Returns the days whose messages are due, oldest first. A day begins with the daily digest, at 06:00 UTC. */
function recentDays({ now }: Pick<Deps, 'now'>): string[] {
  const today = new Date(endOf('daily', Date.parse(now()))).toISOString()
  return Array.from({ length: maxDays }, (_, index) => addDays(today.slice(0, 10), index + 1 - maxDays))
}

const keyOf = (day: string) => `due-dates:${day}`

/** Queues one message per user for the days that were not announced. */
export async function announceDueDates(deps: RootDeps): Promise<void> {
  if (!deps.settings.mail) return
  await transaction(deps, async (deps) => {
    const days: string[] = []
    for (const day of recentDays(deps)) {
      if (await insertMailEvent(deps.db, keyOf(day), deps.now())) days.push(day)
    }
    const today = days.at(-1)
    if (today === undefined) return
    const data: DueDates = { days }
    for (let afterId = 0; ; ) {
      const userIds = await listDueDateReaders(deps.db, afterId, batchSize)
      await queueFor(deps, dueDateMail, { key: keyOf(today), userIds, data })
      const last = userIds.at(-1)
      if (last === undefined || userIds.length < batchSize) return
      afterId = last
    }
  })
}

/** Announces no day that began before a restore, since the former server may have done it. */
export async function skipBegunDays(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  for (const day of recentDays(deps)) await insertMailEvent(deps.db, keyOf(day), deps.now())
}
