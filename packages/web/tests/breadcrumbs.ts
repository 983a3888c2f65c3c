/// <reference lib="dom" />
import type { Page } from 'playwright-core'
import type { ListedScreen } from './all-screens.ts'

/** Breadcrumbs of each screen at the address that the tests visit. Screens that stand alone have none. */
const trails: Readonly<Record<string, string>> = {
  'main /': '',
  'main /-/sign_in': '',
  'main /-/sign_in_link': '',
  'main /-/forgot_password': '',
  'main /-/password': '',
  'main /-/invitation': '',
  'main /-/vulnerabilities': 'Home / Vulnerabilities',
  'main /-/vulnerabilities/:id': 'Northwind Shop / Storefront / Vulnerabilities / Private key',
  'main /-/approvals': 'Home / Approvals',
  'main /-/dependencies': 'Home / Dependencies',
  'main /-/activity': 'Home / Activity',
  'main /-/coverage': 'Home / Scanner coverage',
  'main /explore/projects': 'Home / Projects',
  'main /explore/groups': 'Home / Groups',
  'main /explore/topics': 'Home / Topics',
  'main /explore/topics/:name': 'Home / Topics / TypeScript',
  'main /-/profile': 'Home / Profile',
  'main /-/profile/two_factor_auth': 'Home / Profile / Two-factor authentication',
  'main /-/profile/tokens': 'Home / Profile / Access tokens',
  'main /-/profile/notifications': 'Home / Profile / Notifications',
  'main /-/profile/display': 'Home / Profile / Display',
  'main /-/unsubscribe/:token': '',
  'main /-/vulnerability_reports/:id': '',
  'main /-/profile/admin_mode': 'Admin',
  'main /-/help': 'Home / Help',
  'main /-/help/changes': 'Home / Help / What’s new',
  'main /-/projects/new': 'Home / Projects / New project',
  'main /-/groups/new': 'Home / Groups / New group',
  'main Redirect from GitLab': 'Northwind Shop / Storefront / Vulnerabilities',
  'main Group': 'Northwind Shop',
  'main /-/admin/*?': 'Admin',
  'main /-/api/:operation?': 'Home / All operations / List a project’s uploads, newest first',
  'main Not found': '',
  'main Project': 'Northwind Shop / Storefront',
  'main /:name': 'Home / Nadia',
  'admin /-/admin': 'Admin',
  'admin /-/admin/users': 'Admin / Users',
  'admin /-/admin/users/new': 'Admin / Users / New user',
  'admin /-/admin/users/:id': 'Admin / Users / Nadia',
  'admin /-/admin/tokens': 'Admin / Tokens',
  'admin /-/admin/topics': 'Admin / Topics',
  'admin /-/admin/topics/new': 'Admin / Topics / New topic',
  'admin /-/admin/topics/duplicates': 'Admin / Topics / Possible duplicates',
  'admin /-/admin/topics/proposals': 'Admin / Topics / Proposals',
  'admin /-/admin/topics/merges': 'Admin / Topics / Merges',
  'admin /-/admin/topics/file': 'Admin / Topics / Import/export',
  'admin /-/admin/topics/:id': 'Admin / Topics / TypeScript',
  'admin /-/admin/jobs': 'Admin / Jobs',
  'admin /-/admin/quarantine': 'Admin / Quarantine',
  'admin /-/admin/hooks': 'Admin / Webhooks',
  'admin /-/admin/hooks/new': 'Admin / Webhooks / Add webhook',
  'admin /-/admin/hooks/:id': 'Admin / Webhooks / Team chat',
  'admin /-/admin/rules': 'Admin / Rules',
  'admin /-/admin/dismissal_templates': 'Admin / Dismissal templates',
  'admin /-/admin/due_dates': 'Admin / Due dates',
  'admin /-/admin/audit_log': 'Admin / Audit log',
  'admin /-/admin/storage': 'Admin / Storage',
  'admin /-/admin/organizations': 'Admin / Organizations',
  'admin /-/admin/settings': 'Admin / Settings',
  'project /': 'Northwind Shop / Storefront',
  'project /vulnerabilities': 'Northwind Shop / Storefront / Vulnerabilities',
  'project /report_schedules': 'Northwind Shop / Storefront / Vulnerabilities / Reports by e-mail',
  'project /vulnerabilities/trends': 'Northwind Shop / Storefront / Vulnerabilities / Trends',
  'project /vulnerabilities/approvals': 'Northwind Shop / Storefront / Vulnerabilities / Approvals',
  'project /vulnerabilities/:id': 'Northwind Shop / Storefront / Vulnerabilities / Private key',
  'project /findings': 'Northwind Shop / Storefront / Vulnerabilities',
  'project /findings/:id': 'Northwind Shop / Storefront / Vulnerabilities / SQL built from user input',
  'project /dependencies': 'Northwind Shop / Storefront / Dependencies',
  'project /reports': 'Northwind Shop / Storefront / Reports',
  'project /reports/new': 'Northwind Shop / Storefront / Reports / Import report',
  'project /reports/vex': 'Northwind Shop / Storefront / Reports / Import VEX',
  'project /reports/branches/compare': 'Northwind Shop / Storefront / Reports / Branches / Compare branches',
  'project /reports/branches': 'Northwind Shop / Storefront / Reports / Branches',
  'project /reports/:id': 'Northwind Shop / Storefront / Reports / CycloneDX on main',
  'project /activity': 'Northwind Shop / Storefront / Activity',
  'project /coverage': 'Northwind Shop / Storefront / Scanner coverage',
  'project /uploads': 'Northwind Shop / Storefront / Uploads',
  'project /uploads/pad': 'Northwind Shop / Storefront / Uploads / Markdown pad',
  'project /members': 'Northwind Shop / Storefront / Members',
  'project /settings': 'Northwind Shop / Storefront / Settings',
  'project /settings/access_tokens': 'Northwind Shop / Storefront / Settings / Access tokens',
  'project /settings/hooks': 'Northwind Shop / Storefront / Settings / Webhooks',
  'project /settings/hooks/new': 'Northwind Shop / Storefront / Settings / Webhooks / Add webhook',
  'project /settings/hooks/:id': 'Northwind Shop / Storefront / Settings / Webhooks / Team chat',
  'project /settings/issue_tracker': 'Northwind Shop / Storefront / Settings / Issue tracker',
  'project /settings/rules': 'Northwind Shop / Storefront / Settings / Rules',
  'project /settings/dismissal_templates': 'Northwind Shop / Storefront / Settings / Dismissal templates',
  'project /settings/due_dates': 'Northwind Shop / Storefront / Settings / Due dates',
  'project /settings/report_mappings': 'Northwind Shop / Storefront / Settings / Report mappings',
  'project /settings/audit_log': 'Northwind Shop / Storefront / Settings / Audit log',
  'group /': 'Northwind Shop',
  'group /vulnerabilities': 'Northwind Shop / Vulnerabilities',
  'group /report_schedules': 'Northwind Shop / Vulnerabilities / Reports by e-mail',
  'group /vulnerabilities/trends': 'Northwind Shop / Vulnerabilities / Trends',
  'group /vulnerabilities/vex': 'Northwind Shop / Vulnerabilities / Import VEX',
  'group /dependencies': 'Northwind Shop / Dependencies',
  'group /activity': 'Northwind Shop / Activity',
  'group /coverage': 'Northwind Shop / Scanner coverage',
  'group /uploads': 'Northwind Shop / Uploads',
  'group /uploads/pad': 'Northwind Shop / Uploads / Markdown pad',
  'group /members': 'Northwind Shop / Members',
  'group /settings': 'Northwind Shop / Settings',
  'group /settings/access_tokens': 'Northwind Shop / Settings / Access tokens',
  'group /settings/hooks': 'Northwind Shop / Settings / Webhooks',
  'group /settings/hooks/new': 'Northwind Shop / Settings / Webhooks / Add webhook',
  'group /settings/hooks/:id': 'Northwind Shop / Settings / Webhooks / Team chat',
  'group /settings/issue_tracker': 'Northwind Shop / Settings / Issue tracker',
  'group /settings/rules': 'Northwind Shop / Settings / Rules',
  'group /settings/dismissal_templates': 'Northwind Shop / Settings / Dismissal templates',
  'group /settings/due_dates': 'Northwind Shop / Settings / Due dates',
  'group /settings/approval_rule': 'Northwind Shop / Settings / Approval rule',
  'group /settings/audit_log': 'Northwind Shop / Settings / Audit log',
}

/**
 * Returns what is wrong with the breadcrumbs of a screen: they end with the current page, all others are links, and those of
 * a project or group are in its heading, so that no third line of headings is above the page.
 */
export async function breadcrumbProblems(page: Page, { area, path, title }: ListedScreen): Promise<string[]> {
  const key = `${area} ${path instanceof RegExp ? title : path}`
  const expected = trails[key]
  if (expected === undefined) return [`no breadcrumbs are listed for ${key}`]
  const found = await page.evaluate(() => {
    const navs = [...document.querySelectorAll('nav[aria-label="Breadcrumbs"]')]
    const items = navs.flatMap((nav) => [...nav.querySelectorAll('li')])
    const links = items.slice(0, -1).map((item) => item.querySelector('a')?.getAttribute('href'))
    const places = document.querySelectorAll('main nav[aria-label$=": sections"]')
    return {
      navs: navs.length,
      trail: items.map((item) => item.textContent).join(' / '),
      current: items.map((item) => item.ariaCurrent),
      links,
      last: items.at(-1)?.querySelector('a') ?? null,
      isPlace: places.length > 0,
      isAbovePage: navs.every((nav) => nav.closest('header')?.querySelector('h1') === null),
      address: location.pathname,
    }
  })
  const problems: string[] = []
  if (found.trail !== expected) problems.push(`breadcrumbs are “${found.trail}”, not “${expected}”`)
  if (expected === '') return problems
  if (found.navs !== 1) problems.push(`${found.navs} navigations are breadcrumbs`)
  const marks = found.current.map((mark, index) => mark === (index === found.current.length - 1 ? 'page' : null))
  if (marks.includes(false) || found.last)
    problems.push('the last breadcrumb alone must be the current page, without a link')
  const links = new Set(found.links)
  if (links.size !== found.links.length || links.has(undefined) || links.has(found.address))
    problems.push(`breadcrumbs link to ${found.links.join(', ')}`)
  if (found.isPlace && !found.isAbovePage) problems.push('the heading of the page contains the breadcrumbs')
  return problems
}
