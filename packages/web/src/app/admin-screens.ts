import type { Screen } from '../components/page/screen-table.ts'
import { screen } from '../components/page/screens.tsx'
import { texts } from './texts.ts'

/** Screens of the Admin area. */
export const admin: Screen[] = [
  screen('/-/admin', texts.overview, async () => (await import('../features/admin/overview.tsx')).Overview, {
    links: { tabs: true },
  }),
  screen('/-/admin/users', texts.users, async () => (await import('../features/admin/users.tsx')).Users, {
    links: { tabs: true },
  }),
  screen('/-/admin/users/new', texts.newUser, async () => (await import('../features/admin/new-user.tsx')).NewUser),
  screen('/-/admin/users/:id', texts.user, async () => (await import('../features/admin/user-page.tsx')).UserPage),
  screen('/-/admin/tokens', texts.tokens, async () => (await import('../features/admin/tokens.tsx')).Tokens, {
    links: { tabs: true },
  }),
  screen('/-/admin/topics', texts.topics, async () => (await import('../features/admin/topics/topics.tsx')).Topics, {
    links: { tabs: true },
  }),
  screen(
    '/-/admin/topics/new',
    texts.newTopic,
    async () => (await import('../features/admin/topics/new-topic.tsx')).NewTopic,
  ),
  screen(
    '/-/admin/topics/duplicates',
    texts.duplicates,
    async () => (await import('../features/admin/topics/duplicates.tsx')).Duplicates,
  ),
  screen(
    '/-/admin/topics/proposals',
    texts.proposals,
    async () => (await import('../features/admin/topics/proposals.tsx')).Proposals,
  ),
  screen(
    '/-/admin/topics/merges',
    texts.merges,
    async () => (await import('../features/admin/topics/merges.tsx')).Merges,
  ),
  screen(
    '/-/admin/topics/file',
    'Import/export',
    async () => (await import('../features/admin/topics/vocabulary.tsx')).Vocabulary,
  ),
  screen(
    '/-/admin/topics/:id',
    texts.topic,
    async () => (await import('../features/admin/topics/topic-page.tsx')).TopicPage,
  ),
  screen('/-/admin/jobs', texts.jobs, async () => (await import('../features/admin/jobs.tsx')).Jobs, {
    links: { tabs: true },
  }),
  screen(
    '/-/admin/quarantine',
    texts.quarantine,
    async () => (await import('../features/admin/quarantine.tsx')).Quarantine,
    {
      links: { tabs: true },
    },
  ),
  screen('/-/admin/hooks', texts.webhooks, async () => (await import('../features/webhooks/hooks.tsx')).Hooks, {
    links: { tabs: true },
  }),
  screen(
    '/-/admin/hooks/new',
    texts.addWebhook,
    async () => (await import('../features/webhooks/hook-page.tsx')).NewHook,
  ),
  screen(
    '/-/admin/hooks/:id',
    texts.webhook,
    async () => (await import('../features/webhooks/hook-page.tsx')).HookPage,
  ),
  screen(
    '/-/admin/rules',
    texts.rules,
    async () => (await import('../features/vulnerability-rules/rules.tsx')).VulnerabilityRules,
    {
      links: { tabs: true },
    },
  ),
  screen(
    '/-/admin/dismissal_templates',
    texts.dismissalTemplates,
    async () => (await import('../features/dismissal-templates/templates.tsx')).DismissalTemplates,
    {
      links: { tabs: true },
    },
  ),
  screen(
    '/-/admin/due_dates',
    texts.dueDates,
    async () => (await import('../features/due-dates/due-dates.tsx')).DueDates,
    {
      links: { tabs: true },
    },
  ),
  screen('/-/admin/audit_log', texts.auditLog, async () => (await import('../features/audit/audit-log.tsx')).AuditLog, {
    links: { tabs: true },
  }),
  screen('/-/admin/storage', texts.storage, async () => (await import('../features/admin/storage.tsx')).Storage, {
    links: { tabs: true },
  }),
  screen(
    '/-/admin/organizations',
    texts.organizations,
    async () => (await import('../features/admin/organizations.tsx')).Organizations,
    { links: { tabs: true } },
  ),
  screen('/-/admin/settings', texts.settings, async () => (await import('../features/admin/settings.tsx')).Settings, {
    links: { tabs: true },
  }),
]
