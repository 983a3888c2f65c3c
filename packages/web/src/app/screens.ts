import { FolderGit2, FolderTree, History, KeyRound, Package, ScanSearch, Tags, UserCheck } from 'lucide-react'
import { lazyComponent } from '../components/lazy-component.tsx'
import { NotFound } from '../components/page/not-found.tsx'
import type { Access, Screen, ScreenTable } from '../components/page/screen-table.ts'
import { atLeast, screen } from '../components/page/screens.tsx'
import { prefetch } from '../data/api.ts'
import { invitationPath } from '../data/invitation-link.ts'
import { twoFactorPath } from '../data/own-address.ts'
import { mayWrite } from '../data/session.ts'
import { AdminMode } from '../features/account/admin-mode.tsx'
import { groupPattern } from '../nouns/group/address.ts'
import { signedIn, uploader, writer } from './access.ts'
import { admin } from './admin-screens.ts'
import { group } from './group-screens.ts'
import { auditLog, reportsByEMail, vulnerabilityPolicies, webhooks } from './place-screens.ts'
import { texts } from './texts.ts'

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

/** Matches the `web_url` of a project, whose path has at least two segments, with an optional part. */
const projectPattern = /^\/(?<place>[^/]+(?:\/[^/]+)+?)(?:\/-\/(?<part>.*))?\/?$/

/** Screens at the top, in the order in which their addresses are tried. */
const main: Screen[] = [
  screen('/', texts.home, async () => (await import('../features/home/home.tsx')).Home),
  screen('/-/sign_in', texts.signIn, async () => (await import('../features/account/sign-in.tsx')).SignIn),
  screen(
    '/-/sign_in_link',
    texts.signIn,
    async () => (await import('../features/account/sign-in-link.tsx')).SignInLink,
  ),
  screen(
    '/-/forgot_password',
    texts.forgotYourPassword,
    async () => (await import('../features/account/forgot-password.tsx')).ForgotPassword,
  ),
  screen(
    '/-/password',
    texts.setPassword,
    async () => (await import('../features/account/set-password.tsx')).SetPassword,
  ),
  screen(
    invitationPath,
    texts.invitation,
    async () => (await import('../features/account/invitation/invitation-page.tsx')).InvitationPage,
  ),
  screen(
    '/-/vulnerabilities',
    texts.vulnerabilities,
    async () => (await import('../features/vulnerabilities/instance-vulnerabilities.tsx')).InstanceVulnerabilities,
    { access: signedIn, links: { header: true } },
  ),
  screen(
    '/-/vulnerabilities/:id',
    texts.vulnerability,
    async () => (await import('../features/vulnerability/vulnerability-redirect.tsx')).VulnerabilityRedirect,
    { access: signedIn },
  ),
  screen(
    '/-/approvals',
    texts.approvals,
    async () => (await import('../features/approvals/all-approvals.tsx')).AllApprovals,
    {
      access: signedIn,
      links: { home: texts.approvals },
      shortcut: { icon: UserCheck },
    },
  ),
  screen(
    '/-/dependencies',
    texts.dependencies,
    async () => (await import('../features/dependencies/all-dependencies.tsx')).AllDependencies,
    { access: signedIn, links: { home: texts.dependencies }, shortcut: { icon: Package } },
  ),
  screen(
    '/-/activity',
    texts.activity,
    async () => (await import('../features/overview/activity-page.tsx')).InstanceActivity,
    { access: signedIn, links: { home: texts.activity }, shortcut: { icon: History } },
  ),
  screen(
    '/-/coverage',
    texts.scannerCoverage,
    async () => (await import('../features/overview/coverage-page.tsx')).InstanceCoverage,
    { access: signedIn, links: { home: texts.scannerCoverage }, shortcut: { icon: ScanSearch } },
  ),
  screen('/explore/projects', texts.projects, async () => (await import('../features/explore/projects.tsx')).Projects, {
    links: { header: true, home: texts.allProjects },
    shortcut: { icon: FolderGit2 },
  }),
  screen('/explore/groups', texts.groups, async () => (await import('../features/explore/groups.tsx')).Groups, {
    links: { header: true, home: texts.yourGroups },
    shortcut: { icon: FolderTree, query: '?membership=true' },
  }),
  screen('/explore/topics', texts.topics, async () => (await import('../features/explore/topics.tsx')).Topics, {
    links: { header: true, home: true },
    shortcut: { icon: Tags },
  }),
  screen(
    '/explore/topics/:name',
    texts.topic,
    async () => (await import('../features/explore/topic-page.tsx')).TopicPage,
  ),
  screen('/-/profile', texts.profile, async () => (await import('../features/account/profile.tsx')).Profile, {
    access: account,
    links: { account: true },
  }),
  screen(
    twoFactorPath,
    texts.twoFactorAuthentication,
    async () => (await import('../features/account/two-factor/two-factor.tsx')).TwoFactor,
    { access: account, links: { account: texts.twoFactor } },
  ),
  screen('/-/profile/tokens', texts.accessTokens, async () => (await import('../features/account/tokens.tsx')).Tokens, {
    access: account,
    links: { account: true, home: texts.yourAccessTokens },
    shortcut: { icon: KeyRound },
  }),
  screen(
    '/-/profile/notifications',
    texts.notifications,
    async () => (await import('../features/account/notifications.tsx')).Notifications,
    { access: account, links: { account: true } },
  ),
  screen(
    '/-/profile/display',
    texts.display,
    async () => (await import('../features/account/display-settings.tsx')).DisplaySettings,
    { access: account, links: { account: true } },
  ),
  screen('/-/help', texts.help, async () => (await import('../features/help/help.tsx')).Help),
  screen('/-/help/changes', texts.whatsNew, async () => (await import('../features/help/changes.tsx')).Changes),
  screen(
    '/-/unsubscribe/:token',
    texts.unsubscribe,
    async () => (await import('../features/account/unsubscribe.tsx')).Unsubscribe,
  ),
  screen(
    '/-/vulnerability_reports/:id',
    texts.vulnerabilityReport,
    async () => (await import('../features/report-schedules/sent-report.tsx')).SentReport,
    { access: signedIn },
  ),
  // Not fetched later, so that it redirects as soon as the user has entered admin mode.
  { path: '/-/profile/admin_mode', title: texts.adminMode, component: AdminMode, access: administrator },
  screen(
    '/-/projects/new',
    texts.newProject,
    async () => (await import('../features/project/new-project.tsx')).NewProject,
    { access: creator },
  ),
  screen('/-/groups/new', texts.newGroup, async () => (await import('../features/group/new-group.tsx')).NewGroup, {
    access: creator,
  }),
  screen(
    /\/-\/security\//,
    texts.redirectFromGitlab,
    async () => (await import('./gitlab-addresses.tsx')).GitlabRedirect,
  ),
  screen(groupPattern, texts.group, async () => (await import('../features/group/group-page.tsx')).GroupPage, {
    frames: 'group',
    request: ({ place = '' }) => prefetch('GET /groups/{id}', { path: { id: place }, query: { with_projects: false } }),
  }),
  screen('/-/admin/*?', texts.admin, async () => (await import('../features/admin/admin-page.tsx')).AdminPage, {
    frames: 'admin',
    access: administrator,
    links: { header: true },
  }),
  screen('/-/api/:operation?', 'API', async () => (await import('../features/api-docs/api-page.tsx')).ApiPage, {
    links: { header: true },
  }),
  { path: /^\/(-|explore|groups)(\/|$)/, title: texts.notFound, component: NotFound },
  screen(
    projectPattern,
    texts.project,
    async () => (await import('../features/project/frame/project-page.tsx')).ProjectPage,
    {
      frames: 'project',
      request: ({ place = '' }) => prefetch('GET /projects/{id}', { path: { id: place } }),
    },
  ),
  screen('/:name', texts.userOrGroup, async () => (await import('../features/user/user-page.tsx')).TopPage),
]

/** Screens of a project; their addresses follow `/-`. */
const project: Screen[] = [
  screen('/', texts.overview, async () => (await import('../features/project/overview.tsx')).Overview, {
    links: { tabs: true },
  }),
  screen(
    '/vulnerabilities',
    texts.vulnerabilities,
    async () => (await import('../features/vulnerabilities/project-vulnerabilities.tsx')).ProjectVulnerabilities,
    { access: atLeast('developer'), links: { tabs: true } },
  ),
  reportsByEMail,
  screen(
    '/vulnerabilities/trends',
    texts.trends,
    async () => (await import('../features/vulnerabilities/trends/project-trends.tsx')).ProjectTrends,
    { access: atLeast('developer') },
  ),
  screen(
    '/vulnerabilities/approvals',
    texts.approvals,
    async () => (await import('../features/approvals/project-approvals.tsx')).ProjectApprovals,
    { access: atLeast('developer') },
  ),
  screen(
    '/vulnerabilities/:id',
    texts.vulnerability,
    async () => (await import('../features/vulnerability/vulnerability-page.tsx')).VulnerabilityPage,
    { access: atLeast('developer') },
  ),
  screen(
    '/findings',
    texts.findings,
    async () => (await import('../features/vulnerabilities/inbox/findings-redirect.tsx')).FindingsRedirect,
    { access: atLeast('developer') },
  ),
  screen(
    '/findings/:id',
    texts.finding,
    async () => (await import('../features/finding/finding-page.tsx')).FindingPage,
    {
      access: atLeast('developer'),
    },
  ),
  screen(
    '/dependencies',
    texts.dependencies,
    async () => (await import('../features/dependencies/project-dependencies.tsx')).ProjectDependencies,
    { access: atLeast('developer'), links: { tabs: true } },
  ),
  screen('/reports', texts.reports, async () => (await import('../features/reports/reports.tsx')).Reports, {
    access: atLeast('developer'),
    links: { tabs: true },
  }),
  screen(
    '/reports/new',
    texts.importReport,
    async () => (await import('../features/reports/new-report.tsx')).NewReport,
    {
      access: atLeast('developer'),
    },
  ),
  screen('/reports/vex', texts.importVex, async () => (await import('../features/reports/import-vex.tsx')).ImportVex, {
    access: atLeast('developer'),
  }),
  screen(
    '/reports/branches/compare',
    texts.compareBranches,
    async () => (await import('../features/reports/compare-branches.tsx')).CompareBranches,
    { access: atLeast('developer') },
  ),
  screen('/reports/branches', texts.branches, async () => (await import('../features/reports/branches.tsx')).Branches, {
    access: atLeast('developer'),
  }),
  screen('/reports/:id', texts.report, async () => (await import('../features/reports/report-page.tsx')).ReportPage, {
    access: atLeast('developer'),
  }),
  screen(
    '/activity',
    texts.activity,
    async () => (await import('../features/overview/activity-page.tsx')).ProjectActivity,
    { access: atLeast('developer'), links: { tabs: true } },
  ),
  screen(
    '/coverage',
    texts.scannerCoverage,
    async () => (await import('../features/overview/coverage-page.tsx')).ProjectCoverage,
    { access: atLeast('developer'), links: { tabs: texts.coverage } },
  ),
  screen(
    '/uploads',
    texts.uploads,
    async () => (await import('../features/uploads/project-uploads.tsx')).ProjectUploads,
    {
      access: uploader,
      links: { tabs: true },
    },
  ),
  screen(
    '/uploads/pad',
    texts.markdownPad,
    async () => (await import('../features/uploads/project-uploads.tsx')).ProjectPad,
    { access: writer },
  ),
  screen('/members', texts.members, async () => (await import('../features/project/members.tsx')).ProjectMembers, {
    access: signedIn,
    links: { tabs: true },
  }),
  screen(
    '/settings',
    texts.settings,
    async () => (await import('../features/project/settings/general.tsx')).GeneralSettings,
    { access: atLeast('maintainer'), links: { tabs: true, settings: texts.project } },
  ),
  screen(
    '/settings/access_tokens',
    texts.accessTokens,
    async () => (await import('../features/access-tokens/access-tokens.tsx')).ProjectAccessTokens,
    { access: atLeast('maintainer'), links: { settings: true } },
  ),
  ...webhooks('maintainer'),
  screen(
    '/settings/issue_tracker',
    texts.issueTracker,
    async () => (await import('../features/issue-tracker/issue-tracker.tsx')).ProjectIssueTracker,
    { access: atLeast('maintainer'), links: { settings: true } },
  ),
  ...vulnerabilityPolicies('maintainer'),
  screen(
    '/settings/report_mappings',
    texts.reportMappings,
    async () => (await import('../features/report-mappings/report-mappings.tsx')).ReportMappings,
    { access: atLeast('maintainer'), links: { settings: true } },
  ),
  auditLog('maintainer'),
]

export const screens: ScreenTable = { main, admin, project, group }
