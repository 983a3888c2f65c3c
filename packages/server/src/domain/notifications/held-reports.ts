import { instanceUrl } from '../../platform/settings/settings.ts'
import { roles } from '../access/roles.ts'
import type { Deps, RootDeps } from '../deps.ts'
import { lineageOf } from '../namespaces/namespace.ts'
import { isStillPermitted } from '../projects/current-rights.ts'
import { findProjectById } from '../projects/projects.ts'
import { findHeldReport, type HeldReport, listHeldReports } from './held-report-queries.ts'
import { notificationKind } from './notification-kind.ts'
import { notifyOnce } from './notify.ts'
import { listSubscribedMembers } from './recipient-queries.ts'

/** A report whose absences wait for a decision, for the members who may decide. */
export const heldReportMail = notificationKind<{ import_id: number }>({
  name: 'held_reports',
  async describe(deps, { id: userId }, { import_id: importId }) {
    const held = await findHeldReport(deps.db, importId)
    const project = held && (await findProjectById(deps.db, held.projectId))
    if (!project || !(await isStillPermitted(deps, 'report.absences', project, { userId, asAdmin: false }))) {
      return undefined
    }
    const { heldCount, scanner, ref } = held
    return {
      subject: `${project.fullPath}: a report is on hold`,
      blocks: [
        `A report${scanner === null ? '' : ` of ${scanner}`} for ${ref} would make ${heldCount} findings of ${project.fullPath} absent, which is more than the project allows.`,
        'The findings keep their state until a maintainer applies or discards the absences, or a later complete report has the findings.',
        {
          link: 'Decide about the report',
          url: `${instanceUrl(deps.settings)}/${project.fullPath}/-/reports/${importId}`,
        },
      ],
    }
  },
})

const lookBackMs = 24 * 60 * 60 * 1000

/** Queues a message to each maintainer for reports that were put on hold in the last day, once per report. */
export async function announceHeldReports(deps: RootDeps): Promise<void> {
  if (!deps.settings.mail) return
  const since = new Date(Date.parse(deps.now()) - lookBackMs).toISOString()
  for (const held of await listHeldReports(deps.db, since)) {
    await notifyOnce(deps, heldReportMail, {
      key: `held-report:${held.id}`,
      recipients: (deps) => maintainers(deps, held),
      data: { import_id: held.id },
    })
  }
}

async function maintainers(deps: Deps, { projectId }: HeldReport): Promise<readonly number[]> {
  const project = await findProjectById(deps.db, projectId)
  if (!project) return []
  const place = { projectId, namespaceIds: lineageOf(project.namespace) }
  const today = deps.now().slice(0, 10)
  return listSubscribedMembers(deps.db, place, { name: 'held_reports', level: roles.maintainer, today })
}
