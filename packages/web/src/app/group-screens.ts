import { atLeast, type Screen, screen } from '../components/page/screens.tsx'
import { signedIn, uploader, writer } from './access.ts'

/** Screens of a group; their addresses follow `/-`. */
export const group: Screen[] = [
  screen('/', 'Overview', async () => (await import('../features/group/overview.tsx')).GroupOverview, {
    links: { tabs: true },
  }),
  // Vulnerabilities are of the projects that the user may read, whatever their role in the group.
  screen(
    '/vulnerabilities',
    'Vulnerabilities',
    async () => (await import('../features/vulnerabilities/group-vulnerabilities.tsx')).GroupVulnerabilities,
    { access: signedIn, links: { tabs: true } },
  ),
  screen(
    '/report_schedules',
    'Reports by e-mail',
    async () => (await import('../features/report-schedules/report-schedules.tsx')).ReportSchedules,
    { access: atLeast('developer') },
  ),
  screen(
    '/vulnerabilities/trends',
    'Trends',
    async () => (await import('../features/vulnerabilities/group-vulnerabilities.tsx')).GroupTrends,
    { access: signedIn },
  ),
  screen(
    '/vulnerabilities/vex',
    'Import VEX',
    async () => (await import('../features/reports/import-vex.tsx')).ImportVex,
    { access: signedIn },
  ),
  screen(
    '/dependencies',
    'Dependencies',
    async () => (await import('../features/dependencies/group-dependencies.tsx')).GroupDependencies,
    { access: signedIn, links: { tabs: true } },
  ),
  screen('/activity', 'Activity', async () => (await import('../features/overview/activity-page.tsx')).GroupActivity, {
    access: signedIn,
  }),
  screen(
    '/coverage',
    'Scanner coverage',
    async () => (await import('../features/overview/coverage-page.tsx')).GroupCoverage,
    { access: signedIn },
  ),
  screen('/uploads', 'Uploads', async () => (await import('../features/uploads/group-uploads.tsx')).GroupUploads, {
    access: uploader,
    links: { tabs: true },
  }),
  screen('/uploads/pad', 'Markdown pad', async () => (await import('../features/uploads/group-uploads.tsx')).GroupPad, {
    access: writer,
  }),
  screen('/members', 'Members', async () => (await import('../features/group/members.tsx')).GroupMembers, {
    access: signedIn,
    links: { tabs: true },
  }),
  screen('/settings', 'Settings', async () => (await import('../features/group/settings.tsx')).GroupSettings, {
    access: atLeast('owner'),
    links: { tabs: true, settings: 'Group' },
  }),
  screen(
    '/settings/access_tokens',
    'Access tokens',
    async () => (await import('../features/access-tokens/access-tokens.tsx')).GroupAccessTokens,
    { access: atLeast('owner'), links: { settings: true } },
  ),
  screen('/settings/hooks', 'Webhooks', async () => (await import('../features/webhooks/hooks.tsx')).Hooks, {
    access: atLeast('owner'),
    links: { settings: true },
  }),
  screen(
    '/settings/hooks/new',
    'Add webhook',
    async () => (await import('../features/webhooks/hook-page.tsx')).NewHook,
    { access: atLeast('owner') },
  ),
  screen('/settings/hooks/:id', 'Webhook', async () => (await import('../features/webhooks/hook-page.tsx')).HookPage, {
    access: atLeast('owner'),
  }),
  screen(
    '/settings/issue_tracker',
    'Issue tracker',
    async () => (await import('../features/issue-tracker/issue-tracker.tsx')).GroupIssueTracker,
    { access: atLeast('owner'), links: { settings: true } },
  ),
  screen(
    '/settings/rules',
    'Rules',
    async () => (await import('../features/vulnerability-rules/rules.tsx')).VulnerabilityRules,
    {
      access: atLeast('owner'),
      links: { settings: true },
    },
  ),
  screen(
    '/settings/due_dates',
    'Due dates',
    async () => (await import('../features/due-dates/due-dates.tsx')).DueDates,
    {
      access: atLeast('owner'),
      links: { settings: true },
    },
  ),
  screen(
    '/settings/approval_rule',
    'Approval rule',
    async () => (await import('../features/approvals/group-approval-rule.tsx')).GroupApprovalRule,
    { access: atLeast('owner'), links: { settings: true } },
  ),
  screen('/settings/audit_log', 'Audit log', async () => (await import('../features/audit/audit-log.tsx')).AuditLog, {
    access: atLeast('owner'),
    links: { settings: true },
  }),
]
