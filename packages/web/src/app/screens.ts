import { FolderGit2, FolderTree, History, KeyRound, Package, ScanSearch, Tags, UserCheck } from 'lucide-react'
import { lazyComponent } from '../components/lazy-component.tsx'
import { NotFound } from '../components/page/not-found.tsx'
import { type Access, atLeast, type Screen, type ScreenTable, screen } from '../components/page/screens.tsx'
import { prefetch } from '../data/api.ts'
import { invitationPath } from '../data/invitation-link.ts'
import { twoFactorPath } from '../data/own-address.ts'
import { mayWrite } from '../data/session.ts'
import { AdminMode } from '../features/account/admin-mode.tsx'
import { signedIn, uploader, writer } from './access.ts'
import { admin } from './admin-screens.ts'
import { GitlabRedirect } from './gitlab-addresses.tsx'
import { group } from './group-screens.ts'

const AdminRequired = lazyComponent(async () => (await import('../components/page/admin-required.tsx')).AdminRequired)

const administrator: Access = { isAllowed: ({ session }) => session.is_admin, denied: AdminRequired }
const account: Access = {
  ...signedIn,
  denied: lazyComponent(async () => (await import('../features/account/signed-in.tsx')).SignInFirst),
}
const creator: Access = {
  isAllowed: ({ session }) => mayWrite(session),
  denied: lazyComponent(async () => (await import('../features/project/creation-denied.tsx')).CreationDenied),
}

/** Matches the `web_url` of a group, optionally followed by `/-/` and the name of a part. */
const groupPattern = /^\/groups\/(?<place>(?!-\/)[^/]+(?:\/[^/]+)*?)(?:\/-\/(?<part>.*))?\/?$/

/** Matches the `web_url` of a project, whose path has at least two segments, with an optional part. */
const projectPattern = /^\/(?<place>[^/]+(?:\/[^/]+)+?)(?:\/-\/(?<part>.*))?\/?$/

/** Screens at the top, in the order in which their addresses are tried. */
const main: Screen[] = [
  screen('/', 'Home', async () => (await import('../features/home/home.tsx')).Home),
  screen('/-/sign_in', 'Sign in', async () => (await import('../features/account/sign-in.tsx')).SignIn),
  screen('/-/sign_in_link', 'Sign in', async () => (await import('../features/account/sign-in-link.tsx')).SignInLink),
  screen(
    '/-/forgot_password',
    'Forgot your password?',
    async () => (await import('../features/account/forgot-password.tsx')).ForgotPassword,
  ),
  screen('/-/password', 'Set password', async () => (await import('../features/account/set-password.tsx')).SetPassword),
  screen(
    invitationPath,
    'Invitation',
    async () => (await import('../features/account/invitation/invitation-page.tsx')).InvitationPage,
  ),
  screen(
    '/-/vulnerabilities',
    'Vulnerabilities',
    async () => (await import('../features/vulnerabilities/instance-vulnerabilities.tsx')).InstanceVulnerabilities,
    { access: signedIn, links: { header: true } },
  ),
  screen(
    '/-/vulnerabilities/:id',
    'Vulnerability',
    async () => (await import('../features/vulnerability/vulnerability-redirect.tsx')).VulnerabilityRedirect,
    { access: signedIn },
  ),
  screen(
    '/-/approvals',
    'Approvals',
    async () => (await import('../features/approvals/all-approvals.tsx')).AllApprovals,
    {
      access: signedIn,
      links: { home: 'Approvals' },
      shortcut: { icon: UserCheck },
    },
  ),
  screen(
    '/-/dependencies',
    'Dependencies',
    async () => (await import('../features/dependencies/all-dependencies.tsx')).AllDependencies,
    { access: signedIn, links: { home: 'Dependencies' }, shortcut: { icon: Package } },
  ),
  screen(
    '/-/activity',
    'Activity',
    async () => (await import('../features/overview/activity-page.tsx')).InstanceActivity,
    { access: signedIn, links: { home: 'Activity' }, shortcut: { icon: History } },
  ),
  screen(
    '/-/coverage',
    'Scanner coverage',
    async () => (await import('../features/overview/coverage-page.tsx')).InstanceCoverage,
    { access: signedIn, links: { home: 'Scanner coverage' }, shortcut: { icon: ScanSearch } },
  ),
  screen('/explore/projects', 'Projects', async () => (await import('../features/explore/projects.tsx')).Projects, {
    links: { header: true, home: 'All projects' },
    shortcut: { icon: FolderGit2 },
  }),
  screen('/explore/groups', 'Groups', async () => (await import('../features/explore/groups.tsx')).Groups, {
    links: { header: true, home: 'Your groups' },
    shortcut: { icon: FolderTree, query: '?membership=true' },
  }),
  screen('/explore/topics', 'Topics', async () => (await import('../features/explore/topics.tsx')).Topics, {
    links: { header: true, home: true },
    shortcut: { icon: Tags },
  }),
  screen('/explore/topics/:name', 'Topic', async () => (await import('../features/explore/topic-page.tsx')).TopicPage),
  screen('/-/profile', 'Profile', async () => (await import('../features/account/profile.tsx')).Profile, {
    access: account,
    links: { account: true },
  }),
  screen(
    twoFactorPath,
    'Two-factor authentication',
    async () => (await import('../features/account/two-factor/two-factor.tsx')).TwoFactor,
    { access: account, links: { account: 'Two-factor' } },
  ),
  screen('/-/profile/tokens', 'Access tokens', async () => (await import('../features/account/tokens.tsx')).Tokens, {
    access: account,
    links: { account: true, home: 'Your access tokens' },
    shortcut: { icon: KeyRound },
  }),
  screen(
    '/-/profile/notifications',
    'Notifications',
    async () => (await import('../features/account/notifications.tsx')).Notifications,
    { access: account, links: { account: true } },
  ),
  screen(
    '/-/profile/display',
    'Display',
    async () => (await import('../features/account/display-settings.tsx')).DisplaySettings,
    { access: account, links: { account: true } },
  ),
  screen(
    '/-/unsubscribe/:token',
    'Unsubscribe',
    async () => (await import('../features/account/unsubscribe.tsx')).Unsubscribe,
  ),
  screen(
    '/-/vulnerability_reports/:id',
    'Vulnerability report',
    async () => (await import('../features/report-schedules/sent-report.tsx')).SentReport,
    { access: signedIn },
  ),
  // Not fetched later, so that it redirects as soon as the user has entered admin mode.
  { path: '/-/profile/admin_mode', title: 'Admin mode', component: AdminMode, access: administrator },
  screen(
    '/-/projects/new',
    'New project',
    async () => (await import('../features/project/new-project.tsx')).NewProject,
    { access: creator },
  ),
  screen('/-/groups/new', 'New group', async () => (await import('../features/group/new-group.tsx')).NewGroup, {
    access: creator,
  }),
  { path: /\/-\/security\//, title: 'Redirect from GitLab', component: GitlabRedirect },
  screen(groupPattern, 'Group', async () => (await import('../features/group/group-page.tsx')).GroupPage, {
    frames: 'group',
    request: ({ place = '' }) => prefetch('GET /groups/{id}', { path: { id: place }, query: { with_projects: false } }),
  }),
  screen('/-/admin/*?', 'Admin', async () => (await import('../features/admin/admin-page.tsx')).AdminPage, {
    frames: 'admin',
    access: administrator,
    links: { header: true },
  }),
  screen('/-/api/:operation?', 'API', async () => (await import('../features/api-docs/api-page.tsx')).ApiPage, {
    links: { header: true },
  }),
  { path: /^\/(-|explore|groups)(\/|$)/, title: 'Not found', component: NotFound },
  screen(projectPattern, 'Project', async () => (await import('../features/project/project-page.tsx')).ProjectPage, {
    frames: 'project',
    request: ({ place = '' }) => prefetch('GET /projects/{id}', { path: { id: place } }),
  }),
  screen('/:name', 'User or group', async () => (await import('../features/user/user-page.tsx')).TopPage),
]

/** Screens of a project; their addresses follow `/-`. */
const project: Screen[] = [
  screen('/', 'Overview', async () => (await import('../features/project/overview.tsx')).Overview, {
    links: { tabs: true },
  }),
  screen(
    '/vulnerabilities',
    'Vulnerabilities',
    async () => (await import('../features/vulnerabilities/project-vulnerabilities.tsx')).ProjectVulnerabilities,
    { access: atLeast('developer'), links: { tabs: true } },
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
    async () => (await import('../features/vulnerabilities/project-vulnerabilities.tsx')).ProjectTrends,
    { access: atLeast('developer') },
  ),
  screen(
    '/vulnerabilities/approvals',
    'Approvals',
    async () => (await import('../features/approvals/project-approvals.tsx')).ProjectApprovals,
    { access: atLeast('developer') },
  ),
  screen(
    '/vulnerabilities/:id',
    'Vulnerability',
    async () => (await import('../features/vulnerability/vulnerability-page.tsx')).VulnerabilityPage,
    { access: atLeast('developer') },
  ),
  screen(
    '/findings',
    'Findings',
    async () => (await import('../features/vulnerabilities/inbox/findings-redirect.tsx')).FindingsRedirect,
    { access: atLeast('developer') },
  ),
  screen('/findings/:id', 'Finding', async () => (await import('../features/finding/finding-page.tsx')).FindingPage, {
    access: atLeast('developer'),
  }),
  screen(
    '/dependencies',
    'Dependencies',
    async () => (await import('../features/dependencies/project-dependencies.tsx')).ProjectDependencies,
    { access: atLeast('developer'), links: { tabs: true } },
  ),
  screen('/reports', 'Reports', async () => (await import('../features/reports/reports.tsx')).Reports, {
    access: atLeast('developer'),
    links: { tabs: true },
  }),
  screen('/reports/new', 'Import report', async () => (await import('../features/reports/new-report.tsx')).NewReport, {
    access: atLeast('developer'),
  }),
  screen('/reports/vex', 'Import VEX', async () => (await import('../features/reports/import-vex.tsx')).ImportVex, {
    access: atLeast('developer'),
  }),
  screen(
    '/reports/branches/compare',
    'Compare branches',
    async () => (await import('../features/reports/compare-branches.tsx')).CompareBranches,
    { access: atLeast('developer') },
  ),
  screen('/reports/branches', 'Branches', async () => (await import('../features/reports/branches.tsx')).Branches, {
    access: atLeast('developer'),
  }),
  screen('/reports/:id', 'Report', async () => (await import('../features/reports/report-page.tsx')).ReportPage, {
    access: atLeast('developer'),
  }),
  screen(
    '/activity',
    'Activity',
    async () => (await import('../features/overview/activity-page.tsx')).ProjectActivity,
    { access: atLeast('developer') },
  ),
  screen(
    '/coverage',
    'Scanner coverage',
    async () => (await import('../features/overview/coverage-page.tsx')).ProjectCoverage,
    { access: atLeast('developer') },
  ),
  screen('/uploads', 'Uploads', async () => (await import('../features/uploads/project-uploads.tsx')).ProjectUploads, {
    access: uploader,
    links: { tabs: true },
  }),
  screen(
    '/uploads/pad',
    'Markdown pad',
    async () => (await import('../features/uploads/project-uploads.tsx')).ProjectPad,
    { access: writer },
  ),
  screen('/members', 'Members', async () => (await import('../features/project/members.tsx')).ProjectMembers, {
    access: signedIn,
    links: { tabs: true },
  }),
  screen(
    '/settings',
    'Settings',
    async () => (await import('../features/project/settings/general.tsx')).GeneralSettings,
    { access: atLeast('maintainer'), links: { tabs: true, settings: 'Project' } },
  ),
  screen(
    '/settings/access_tokens',
    'Access tokens',
    async () => (await import('../features/access-tokens/access-tokens.tsx')).ProjectAccessTokens,
    { access: atLeast('maintainer'), links: { settings: true } },
  ),
  screen('/settings/hooks', 'Webhooks', async () => (await import('../features/webhooks/hooks.tsx')).Hooks, {
    access: atLeast('maintainer'),
    links: { settings: true },
  }),
  screen(
    '/settings/hooks/new',
    'Add webhook',
    async () => (await import('../features/webhooks/hook-page.tsx')).NewHook,
    { access: atLeast('maintainer') },
  ),
  screen('/settings/hooks/:id', 'Webhook', async () => (await import('../features/webhooks/hook-page.tsx')).HookPage, {
    access: atLeast('maintainer'),
  }),
  screen(
    '/settings/issue_tracker',
    'Issue tracker',
    async () => (await import('../features/issue-tracker/issue-tracker.tsx')).ProjectIssueTracker,
    { access: atLeast('maintainer'), links: { settings: true } },
  ),
  screen(
    '/settings/rules',
    'Rules',
    async () => (await import('../features/vulnerability-rules/rules.tsx')).VulnerabilityRules,
    {
      access: atLeast('maintainer'),
      links: { settings: true },
    },
  ),
  screen(
    '/settings/due_dates',
    'Due dates',
    async () => (await import('../features/due-dates/due-dates.tsx')).DueDates,
    {
      access: atLeast('maintainer'),
      links: { settings: true },
    },
  ),
  screen(
    '/settings/report_mappings',
    'Report mappings',
    async () => (await import('../features/report-mappings/report-mappings.tsx')).ReportMappings,
    { access: atLeast('maintainer'), links: { settings: true } },
  ),
  screen('/settings/audit_log', 'Audit log', async () => (await import('../features/audit/audit-log.tsx')).AuditLog, {
    access: atLeast('maintainer'),
    links: { settings: true },
  }),
]

export const screens: ScreenTable = { main, admin, project, group }
