import { readRemaining } from '../../platform/object-store/pieces.ts'
import { instanceUrl } from '../../platform/settings/settings.ts'
import type { Deps, RootDeps } from '../deps.ts'
import type { Export } from '../exports/export.ts'
import { findReadableExport } from '../exports/exports.ts'
import { type ScheduledReport, scheduledReportKind } from '../exports/schedules/send-report.ts'
import { openIntact } from '../files/intact.ts'
import { mailKind } from '../mail/mail.ts'
import { findNamespaceById } from '../namespaces/namespaces.ts'
import { findProjectById } from '../projects/projects.ts'
import { unsubscribeUrl } from './unsubscribe.ts'

/** Larger reports are not attached. Many mail servers refuse messages of more than 10 MB. */
const maxAttachedBytes = 4 * 1024 * 1024

/** Scheduled report of a project or group. It is sent only to users who may read all of it now. */
export const scheduledReportMail = mailKind<ScheduledReport>({
  kind: scheduledReportKind,
  async describe(deps, { user }, { export_id: id, schedule_id: scheduleId }) {
    if (!user?.isConfirmed) return undefined
    const found = await findReadableExport(deps, id)
    // The export of a schedule that has ended no longer refers to it.
    if (found?.authorId !== user.id || found.scheduleId !== scheduleId || found.objectKey === null) return undefined
    const { objectKey: key, bytes, sha256, filename, startedAt } = found
    const place = await describePlace(deps, found)
    if (!place || bytes === null) return undefined
    const base = instanceUrl(deps.settings)
    const isAttached = bytes <= maxAttachedBytes
    const time = (startedAt ?? deps.now()).slice(0, 16).replace('T', ' ')
    return {
      subject: `Vulnerability report: ${place.title}`,
      blocks: [
        `Vulnerability report of ${place.title} as of ${time} UTC.`,
        isAttached ? 'The report is attached.' : 'The report is too large to be attached.',
        { link: 'Download the report', url: `${base}/-/vulnerability_reports/${id}` },
        { link: 'Show the vulnerabilities', url: `${base}${place.path}/-/vulnerabilities` },
      ],
      ...(isAttached && {
        attachment: {
          filename: filename ?? 'report.html',
          contentType: 'text/html; charset=utf-8',
          content: await readFile(deps, { key, bytes, sha256 }),
        },
      }),
      subscription: {
        settingsUrl: `${base}${place.path}/-/report_schedules`,
        unsubscribeUrl: await unsubscribeUrl(deps, { userId: user.id, name: `report_schedule_${scheduleId}` }),
      },
    }
  },
})

async function readFile(deps: RootDeps, file: { key: string; bytes: number; sha256: string | null }): Promise<Buffer> {
  const opened = await openIntact(deps, file)
  if (!opened) throw new Error(`the object ${file.key} is not in the object store`)
  return Buffer.isBuffer(opened) ? opened : readRemaining(opened)
}

async function describePlace({ db }: Deps, { projectId, groupId }: Export) {
  if (projectId !== null) {
    const project = await findProjectById(db, projectId)
    return project && { title: project.fullPath, path: `/${project.fullPath}` }
  }
  const group = groupId === null ? undefined : await findNamespaceById(db, groupId)
  return group && { title: group.fullPath, path: `/groups/${group.fullPath}` }
}
