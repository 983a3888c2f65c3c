import { viewExportedVulnerability } from './api/v4/exports/exported-vulnerability.ts'
import { removeEndedCounts } from './domain/access/request-counter.ts'
import { expireAuditEvents } from './domain/audit/remove-old.ts'
import { startSealing } from './domain/audit/seal.ts'
import { queueStreams, streamJob } from './domain/audit/stream.ts'
import { notifyExpiringTokens } from './domain/bots/expiring-tokens.ts'
import { removeObsoleteInventories } from './domain/dependencies/inventories.ts'
import type { RootDeps } from './domain/deps.ts'
import { expireExports } from './domain/exports/exports.ts'
import { queueScheduledReports } from './domain/exports/schedules/queue-reports.ts'
import { exportJob } from './domain/exports/write.ts'
import { loadFeedFolder } from './domain/feeds/feed-folder.ts'
import { deleteMarkedObjects } from './domain/files/pending-deletions.ts'
import { deliveryJob, removeOldEvents } from './domain/hooks/deliver.ts'
import { removeOldKeys } from './domain/idempotency/idempotency.ts'
import type { AnyJobKind } from './domain/jobs/job.ts'
import { removeOldJobs, replaceWaitingJobs } from './domain/jobs/jobs.ts'
import { runJobs } from './domain/jobs/run-jobs.ts'
import type { AnyMailKind } from './domain/mail/mail.ts'
import { removeOldMails } from './domain/mail/mails.ts'
import { mailJob } from './domain/mail/send-mails.ts'
import { invitationMail } from './domain/members/invitation-mail.ts'
import { removeOldInvitations } from './domain/members/invitations.ts'
import { removeExpiredMembers } from './domain/members/members.ts'
import { announceDigests, digestMail } from './domain/notifications/digest.ts'
import { announceDueDates, dueDateMail } from './domain/notifications/due-dates.ts'
import { announceExpiringTokens, expiringTokenMail } from './domain/notifications/expiring-tokens.ts'
import { announceHeldReports, heldReportMail } from './domain/notifications/held-reports.ts'
import { newSignInMail } from './domain/notifications/new-sign-ins.ts'
import { announceVulnerabilities, newVulnerabilitiesMail } from './domain/notifications/new-vulnerabilities.ts'
import { removeOldMailEvents } from './domain/notifications/notify.ts'
import { scheduledReportMail } from './domain/notifications/scheduled-reports.ts'
import { removeUsedLogoutTokens } from './domain/oidc/backchannel-logout.ts'
import { removeExpiredFlows } from './domain/oidc/flows.ts'
import { removeOrphanedObjects } from './domain/removal/orphan-cleanup.ts'
import { removeIdleBots } from './domain/removal/revoke-access-token.ts'
import { packageJob } from './domain/reports/imports/compute-packages.ts'
import { expireFailedReports } from './domain/reports/imports/import-queue.ts'
import { removeOldImports } from './domain/reports/imports/old-imports.ts'
import { importKind } from './domain/reports/imports/run-imports.ts'
import { closeIdleRefs } from './domain/reports/refs/close-idle-refs.ts'
import { refJobKind } from './domain/reports/refs/close-ref.ts'
import { removeExpiredChallenges } from './domain/second-factors/challenges.ts'
import { removeOldBrowsers } from './domain/sign-in/known-browsers.ts'
import { passwordLinkMail } from './domain/sign-in/passwords/password-link-mail.ts'
import { removeExpiredPasswordLinks } from './domain/sign-in/passwords/password-links.ts'
import { passwordRequestJob } from './domain/sign-in/passwords/password-requests.ts'
import { removeExpiredSessions } from './domain/sign-in/sessions.ts'
import { removeExpiredSignInLinks } from './domain/sign-in/sign-in-links.ts'
import { removeOldMerges } from './domain/topics/merges/merges.ts'
import { createIssueJob } from './domain/trackers/create-issue.ts'
import { synchronizeIssueJob } from './domain/trackers/sync-issue.ts'
import { pollTrackers, synchronizeJob } from './domain/trackers/sync-issues.ts'
import { expireUploads } from './domain/uploads/expire.ts'
import { removeExpiredLinks } from './domain/uploads/links/upload-links.ts'
import { trashUnreferencedUploads } from './domain/uploads/references/upload-references.ts'
import { removeExpiredUploads } from './domain/uploads/resumable/resumable-uploads.ts'
import { scanAllJob, scanJob } from './domain/uploads/scans/scan-uploads.ts'
import { removeOldThumbnails } from './domain/uploads/thumbnails/thumbnails.ts'
import { expireRequests } from './domain/vulnerabilities/approval/expire-requests.ts'
import { dueDatesJob } from './domain/vulnerabilities/due-dates/update-due-dates.ts'
import { flawAliasesJob, flawKeysJob, transferredFlawsJob } from './domain/vulnerabilities/flaws/flaw-jobs.ts'
import { updatePriorities } from './domain/vulnerabilities/priority/score-all.ts'
import { promotionKind, removeOldPromotions } from './domain/vulnerabilities/promotion/bulk-promotion.ts'
import { applyTimedRules, rulesJob } from './domain/vulnerabilities/rules/apply-job.ts'
import { scopeChangeKind } from './domain/vulnerabilities/scope-bulk/scope-change-job.ts'
import { endDismissalsOnRefs } from './domain/vulnerabilities/triage/dismissals/end-ref-dismissals.ts'
import { endDismissals } from './domain/vulnerabilities/triage/dismissals/ended-dismissals.ts'
import { removeOldObservations } from './domain/vulnerabilities/triage/history/old-observations.ts'

const minuteMs = 60 * 1000
const hourMs = 60 * minuteMs

interface PeriodicTask {
  name: string
  intervalMs: number
  /** Runs when the process starts as well. */
  isRunAtStart?: true
  run(deps: RootDeps): Promise<void>
}

/** Periodic tasks. */
const periodicTasks: readonly PeriodicTask[] = [
  { name: 'expire deleted uploads', intervalMs: hourMs, run: expireUploads },
  { name: 'remove expired links to uploads', intervalMs: hourMs, run: removeExpiredLinks },
  { name: 'delete uploads without references', intervalMs: hourMs, run: trashUnreferencedUploads },
  { name: 'remove unfinished uploads', intervalMs: hourMs, run: removeExpiredUploads },
  { name: 'remove old thumbnails', intervalMs: hourMs, run: removeOldThumbnails },
  { name: 'delete marked objects', intervalMs: 10 * minuteMs, run: deleteMarkedObjects },
  { name: 'remove orphaned objects', intervalMs: hourMs, run: removeOrphanedObjects },
  { name: 'load feeds', intervalMs: minuteMs, isRunAtStart: true, run: loadFeedFolder },
  { name: 'update priorities', intervalMs: minuteMs, isRunAtStart: true, run: updatePriorities },
  { name: 'remove expired memberships', intervalMs: hourMs, run: removeExpiredMembers },
  { name: 'remove old invitations', intervalMs: hourMs, run: removeOldInvitations },
  { name: 'notify of expiring tokens', intervalMs: hourMs, run: notifyExpiringTokens },
  { name: 'remove idle bots', intervalMs: hourMs, run: removeIdleBots },
  { name: 'remove old merges', intervalMs: hourMs, run: removeOldMerges },
  { name: 'remove expired sessions', intervalMs: hourMs, run: removeExpiredSessions },
  { name: 'expire exports', intervalMs: hourMs, run: expireExports },
  { name: 'expire reports of failed imports', intervalMs: hourMs, run: expireFailedReports },
  { name: 'expire requests for dismissals', intervalMs: 10 * minuteMs, run: expireRequests },
  { name: 'end dismissals', intervalMs: 10 * minuteMs, run: endDismissals },
  { name: 'apply rules that depend on the day', intervalMs: 10 * minuteMs, run: applyTimedRules },
  { name: 'end dismissals on branches', intervalMs: 10 * minuteMs, run: endDismissalsOnRefs },
  { name: 'close idle refs', intervalMs: hourMs, run: closeIdleRefs },
  { name: 'remove obsolete inventories', intervalMs: hourMs, run: removeObsoleteInventories },
  { name: 'remove old imports', intervalMs: hourMs, run: removeOldImports },
  { name: 'remove old observations', intervalMs: hourMs, run: removeOldObservations },
  { name: 'remove old audit events', intervalMs: hourMs, run: expireAuditEvents },
  // For destinations that are new in the settings, and after lost notifications.
  { name: 'stream audit events', intervalMs: minuteMs, run: queueStreams },
  { name: 'remove old webhook events', intervalMs: hourMs, run: removeOldEvents },
  { name: 'remove old promotions', intervalMs: hourMs, run: removeOldPromotions },
  { name: 'place waiting jobs again', intervalMs: hourMs, run: replaceWaitingJobs },
  { name: 'remove old jobs', intervalMs: hourMs, run: removeOldJobs },
  { name: 'remove expired sign-ins with providers', intervalMs: hourMs, run: removeExpiredFlows },
  { name: 'remove expired sign-in links', intervalMs: hourMs, run: removeExpiredSignInLinks },
  { name: 'remove used logout tokens', intervalMs: hourMs, run: removeUsedLogoutTokens },
  { name: 'remove expired steps of sign-ins', intervalMs: hourMs, run: removeExpiredChallenges },
  { name: 'remove expired password links', intervalMs: hourMs, run: removeExpiredPasswordLinks },
  { name: 'remove known browsers', intervalMs: hourMs, run: removeOldBrowsers },
  // The interval equals the window for password attempts, which keeps the table small.
  { name: 'remove counts of requests', intervalMs: 5 * minuteMs, run: removeEndedCounts },
  { name: 'announce new vulnerabilities', intervalMs: minuteMs, run: announceVulnerabilities },
  { name: 'announce held reports', intervalMs: minuteMs, run: announceHeldReports },
  { name: 'announce expiring tokens', intervalMs: hourMs, run: announceExpiringTokens },
  { name: 'send digests', intervalMs: 10 * minuteMs, run: announceDigests },
  { name: 'send scheduled reports', intervalMs: minuteMs, isRunAtStart: true, run: queueScheduledReports },
  { name: 'announce due dates', intervalMs: 10 * minuteMs, run: announceDueDates },
  { name: 'remove old mail', intervalMs: hourMs, run: removeOldMails },
  { name: 'remove old mail events', intervalMs: hourMs, run: removeOldMailEvents },
  { name: 'poll issue trackers', intervalMs: hourMs, run: pollTrackers },
  { name: 'remove old idempotency keys', intervalMs: hourMs, run: removeOldKeys },
]

/** Kinds of messages. */
const mailKinds: readonly AnyMailKind[] = [
  digestMail,
  dueDateMail,
  expiringTokenMail,
  heldReportMail,
  invitationMail,
  newSignInMail,
  newVulnerabilitiesMail,
  passwordLinkMail,
  scheduledReportMail,
]

/** Kinds of jobs that requests queue. */
export const jobKinds: readonly AnyJobKind[] = [
  deliveryJob,
  exportJob(viewExportedVulnerability),
  importKind,
  mailJob(mailKinds),
  refJobKind,
  packageJob,
  flawKeysJob,
  flawAliasesJob,
  transferredFlawsJob,
  passwordRequestJob,
  promotionKind,
  scopeChangeKind,
  dueDatesJob,
  rulesJob,
  createIssueJob,
  synchronizeJob,
  synchronizeIssueJob,
  streamJob,
  scanJob,
  scanAllJob,
]

/** Starts the periodic tasks, the job queue and the sealing of audit events. */
export function startJobs(deps: RootDeps): { stop(): Promise<void> } {
  const timers = periodicTasks.map((task) => startPeriodicTask(deps, task))
  const queue = runJobs(deps, jobKinds)
  const sealing = startSealing(deps)
  return {
    async stop() {
      timers.forEach(clearInterval)
      await Promise.all([queue.stop(), sealing.stop()])
    },
  }
}

/** Starts a periodic task. It never overlaps with itself, and its failures are logged. */
function startPeriodicTask(deps: RootDeps, { name, intervalMs, isRunAtStart, run }: PeriodicTask): NodeJS.Timeout {
  let isRunning = false
  const tick = async () => {
    if (isRunning) return
    isRunning = true
    try {
      await run(deps)
    } catch (error) {
      deps.log.error({ err: error, job: name }, 'job failed')
    } finally {
      isRunning = false
    }
  }
  if (isRunAtStart) void tick()
  return setInterval(() => void tick(), intervalMs).unref()
}
