import { listDumpTables } from '../../db/dump.ts'
import type { Deps } from '../deps.ts'
import { skipDueReports } from '../exports/schedules/queue-reports.ts'
import { endRestoredChatMessages } from '../hooks/deliver.ts'
import { endRestoredMails } from '../mail/mails.ts'
import { skipEndedDigests } from '../notifications/digest.ts'
import { skipBegunDays } from '../notifications/due-dates.ts'
import { skipRestoredVulnerabilities } from '../notifications/new-vulnerabilities.ts'
import { revokeRestoredPasswordLinks } from '../sign-in/passwords/password-links.ts'
import { searchForRestoredIssues } from '../trackers/issues.ts'

/** Numbers of what was waiting in a backup and is not sent. */
export interface EndedMessages {
  mails: number
  chatMessages: number
}

/**
 * Prepares restored rows so that no message is sent a second time, and no password link works again: what waited in the
 * backup may have been sent or used after it.
 * The schema is that of the backup, which may lack some of the tables.
 */
export async function endOutgoing(deps: Pick<Deps, 'db' | 'now'>): Promise<EndedMessages> {
  const tables = await listDumpTables(deps.db)
  const columns = new Set(tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`)))
  const hasMails = columns.has('mails.state')
  if (hasMails) {
    await skipEndedDigests(deps)
    await skipBegunDays(deps)
    await skipRestoredVulnerabilities(deps)
  }
  if (columns.has('report_schedules.next_at')) await skipDueReports(deps)
  if (columns.has('password_links.digest')) await revokeRestoredPasswordLinks(deps)
  if (columns.has('tracker_issues.sent_at')) await searchForRestoredIssues(deps)
  return {
    mails: hasMails ? await endRestoredMails(deps) : 0,
    chatMessages: columns.has('hooks.format') ? await endRestoredChatMessages(deps) : 0,
  }
}
