import type { Screen } from '../components/page/screen-table.ts'
import { atLeast, screen } from '../components/page/screens.tsx'
import { signedIn, uploader, writer } from './access.ts'
import { texts } from './texts.ts'

/** Screens of a group; their addresses follow `/-`. */
export const group: Screen[] = [
  screen('/', texts.overview, async () => (await import('../features/group/overview.tsx')).GroupOverview, {
    links: { tabs: true },
  }),
  // Vulnerabilities are of the projects that the user may read, whatever their role in the group.
  screen(
    '/vulnerabilities',
    texts.vulnerabilities,
    async () => (await import('../features/vulnerabilities/group-vulnerabilities.tsx')).GroupVulnerabilities,
    { access: signedIn, links: { tabs: true } },
  ),
  screen(
    '/report_schedules',
    texts.reportsByEMail,
    async () => (await import('../features/report-schedules/report-schedules.tsx')).ReportSchedules,
    { access: atLeast('developer') },
  ),
  screen(
    '/vulnerabilities/trends',
    texts.trends,
    async () => (await import('../features/vulnerabilities/trends/group-trends.tsx')).GroupTrends,
    { access: signedIn },
  ),
  screen(
    '/vulnerabilities/vex',
    texts.importVex,
    async () => (await import('../features/reports/import-vex.tsx')).ImportVex,
    { access: signedIn },
  ),
  screen(
    '/dependencies',
    texts.dependencies,
    async () => (await import('../features/dependencies/group-dependencies.tsx')).GroupDependencies,
    { access: signedIn, links: { tabs: true } },
  ),
  screen(
    '/activity',
    texts.activity,
    async () => (await import('../features/overview/activity-page.tsx')).GroupActivity,
    {
      access: signedIn,
      links: { tabs: true },
    },
  ),
  screen(
    '/coverage',
    texts.scannerCoverage,
    async () => (await import('../features/overview/coverage-page.tsx')).GroupCoverage,
    { access: signedIn, links: { tabs: texts.coverage } },
  ),
  screen('/uploads', texts.uploads, async () => (await import('../features/uploads/group-uploads.tsx')).GroupUploads, {
    access: uploader,
    links: { tabs: true },
  }),
  screen(
    '/uploads/pad',
    texts.markdownPad,
    async () => (await import('../features/uploads/group-uploads.tsx')).GroupPad,
    {
      access: writer,
    },
  ),
  screen('/members', texts.members, async () => (await import('../features/group/members.tsx')).GroupMembers, {
    access: signedIn,
    links: { tabs: true },
  }),
  screen('/settings', texts.settings, async () => (await import('../features/group/settings.tsx')).GroupSettings, {
    access: atLeast('owner'),
    links: { tabs: true, settings: texts.group },
  }),
  screen(
    '/settings/access_tokens',
    texts.accessTokens,
    async () => (await import('../features/access-tokens/access-tokens.tsx')).GroupAccessTokens,
    { access: atLeast('owner'), links: { settings: true } },
  ),
  screen('/settings/hooks', texts.webhooks, async () => (await import('../features/webhooks/hooks.tsx')).Hooks, {
    access: atLeast('owner'),
    links: { settings: true },
  }),
  screen(
    '/settings/hooks/new',
    texts.addWebhook,
    async () => (await import('../features/webhooks/hook-page.tsx')).NewHook,
    { access: atLeast('owner') },
  ),
  screen(
    '/settings/hooks/:id',
    texts.webhook,
    async () => (await import('../features/webhooks/hook-page.tsx')).HookPage,
    {
      access: atLeast('owner'),
    },
  ),
  screen(
    '/settings/issue_tracker',
    texts.issueTracker,
    async () => (await import('../features/issue-tracker/issue-tracker.tsx')).GroupIssueTracker,
    { access: atLeast('owner'), links: { settings: true } },
  ),
  screen(
    '/settings/rules',
    texts.rules,
    async () => (await import('../features/vulnerability-rules/rules.tsx')).VulnerabilityRules,
    {
      access: atLeast('owner'),
      links: { settings: true },
    },
  ),
  screen(
    '/settings/dismissal_templates',
    texts.dismissalTemplates,
    async () => (await import('../features/dismissal-templates/templates.tsx')).DismissalTemplates,
    {
      access: atLeast('owner'),
      links: { settings: true },
    },
  ),
  screen(
    '/settings/due_dates',
    texts.dueDates,
    async () => (await import('../features/due-dates/due-dates.tsx')).DueDates,
    {
      access: atLeast('owner'),
      links: { settings: true },
    },
  ),
  screen(
    '/settings/approval_rule',
    texts.approvalRule,
    async () => (await import('../features/approvals/group-approval-rule.tsx')).GroupApprovalRule,
    { access: atLeast('owner'), links: { settings: true } },
  ),
  screen(
    '/settings/audit_log',
    texts.auditLog,
    async () => (await import('../features/audit/audit-log.tsx')).AuditLog,
    {
      access: atLeast('owner'),
      links: { settings: true },
    },
  ),
]
