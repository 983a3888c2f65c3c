import type { Screen } from '../components/page/screen-table.ts'
import { atLeast, screen } from '../components/page/screens.tsx'
import type { levels } from '../data/session.ts'
import { texts } from './texts.ts'

// Screens that projects and groups have in common. Most require a role that differs between the two.

type Role = keyof typeof levels

export const reportsByEMail: Screen = screen(
  '/report_schedules',
  texts.reportsByEMail,
  async () => (await import('../features/report-schedules/report-schedules.tsx')).ReportSchedules,
  { access: atLeast('developer') },
)

export const webhooks = (role: Role): Screen[] => [
  screen('/settings/hooks', texts.webhooks, async () => (await import('../features/webhooks/hooks.tsx')).Hooks, {
    access: atLeast(role),
    links: { settings: true },
  }),
  screen(
    '/settings/hooks/new',
    texts.addWebhook,
    async () => (await import('../features/webhooks/hook-page.tsx')).NewHook,
    { access: atLeast(role) },
  ),
  screen(
    '/settings/hooks/:id',
    texts.webhook,
    async () => (await import('../features/webhooks/hook-page.tsx')).HookPage,
    {
      access: atLeast(role),
    },
  ),
]

/** Settings that change vulnerabilities: rules, dismissal templates and due dates. */
export const vulnerabilityPolicies = (role: Role): Screen[] => [
  screen(
    '/settings/rules',
    texts.rules,
    async () => (await import('../features/vulnerability-rules/rules.tsx')).VulnerabilityRules,
    {
      access: atLeast(role),
      links: { settings: true },
    },
  ),
  screen(
    '/settings/dismissal_templates',
    texts.dismissalTemplates,
    async () => (await import('../features/dismissal-templates/templates.tsx')).DismissalTemplates,
    {
      access: atLeast(role),
      links: { settings: true },
    },
  ),
  screen(
    '/settings/due_dates',
    texts.dueDates,
    async () => (await import('../features/due-dates/due-dates.tsx')).DueDates,
    {
      access: atLeast(role),
      links: { settings: true },
    },
  ),
]

export const auditLog = (role: Role): Screen =>
  screen(
    '/settings/audit_log',
    texts.auditLog,
    async () => (await import('../features/audit/audit-log.tsx')).AuditLog,
    {
      access: atLeast(role),
      links: { settings: true },
    },
  )
