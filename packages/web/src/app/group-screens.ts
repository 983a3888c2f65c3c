import type { Screen } from '../components/page/screen-table.ts'
import { atLeast, screen } from '../components/page/screens.tsx'
import { signedIn, uploader, writer } from './access.ts'
import { auditLog, reportsByEMail, vulnerabilityPolicies, webhooks } from './place-screens.ts'
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
  reportsByEMail,
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
  ...webhooks('owner'),
  screen(
    '/settings/issue_tracker',
    texts.issueTracker,
    async () => (await import('../features/issue-tracker/issue-tracker.tsx')).GroupIssueTracker,
    { access: atLeast('owner'), links: { settings: true } },
  ),
  ...vulnerabilityPolicies('owner'),
  screen(
    '/settings/approval_rule',
    texts.approvalRule,
    async () => (await import('../features/approvals/group-approval-rule.tsx')).GroupApprovalRule,
    { access: atLeast('owner'), links: { settings: true } },
  ),
  auditLog('owner'),
]
