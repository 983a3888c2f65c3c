import { type Screen, screen } from '../components/page/screens.tsx'

/** Screens of the Admin area. */
export const admin: Screen[] = [
  screen('/-/admin', 'Overview', async () => (await import('../features/admin/overview.tsx')).Overview, {
    links: { tabs: true },
  }),
  screen('/-/admin/users', 'Users', async () => (await import('../features/admin/users.tsx')).Users, {
    links: { tabs: true },
  }),
  screen('/-/admin/users/new', 'New user', async () => (await import('../features/admin/new-user.tsx')).NewUser),
  screen('/-/admin/users/:id', 'User', async () => (await import('../features/admin/user-page.tsx')).UserPage),
  screen('/-/admin/tokens', 'Tokens', async () => (await import('../features/admin/tokens.tsx')).Tokens, {
    links: { tabs: true },
  }),
  screen('/-/admin/topics', 'Topics', async () => (await import('../features/admin/topics/topics.tsx')).Topics, {
    links: { tabs: true },
  }),
  screen(
    '/-/admin/topics/new',
    'New topic',
    async () => (await import('../features/admin/topics/new-topic.tsx')).NewTopic,
  ),
  screen(
    '/-/admin/topics/duplicates',
    'Duplicates',
    async () => (await import('../features/admin/topics/duplicates.tsx')).Duplicates,
  ),
  screen(
    '/-/admin/topics/proposals',
    'Proposals',
    async () => (await import('../features/admin/topics/proposals.tsx')).Proposals,
  ),
  screen('/-/admin/topics/merges', 'Merges', async () => (await import('../features/admin/topics/merges.tsx')).Merges),
  screen(
    '/-/admin/topics/file',
    'Import/export',
    async () => (await import('../features/admin/topics/vocabulary.tsx')).Vocabulary,
  ),
  screen(
    '/-/admin/topics/:id',
    'Topic',
    async () => (await import('../features/admin/topics/topic-page.tsx')).TopicPage,
  ),
  screen('/-/admin/jobs', 'Jobs', async () => (await import('../features/admin/jobs.tsx')).Jobs, {
    links: { tabs: true },
  }),
  screen(
    '/-/admin/quarantine',
    'Quarantine',
    async () => (await import('../features/admin/quarantine.tsx')).Quarantine,
    {
      links: { tabs: true },
    },
  ),
  screen('/-/admin/hooks', 'Webhooks', async () => (await import('../features/webhooks/hooks.tsx')).Hooks, {
    links: { tabs: true },
  }),
  screen('/-/admin/hooks/new', 'Add webhook', async () => (await import('../features/webhooks/hook-page.tsx')).NewHook),
  screen('/-/admin/hooks/:id', 'Webhook', async () => (await import('../features/webhooks/hook-page.tsx')).HookPage),
  screen(
    '/-/admin/rules',
    'Rules',
    async () => (await import('../features/vulnerability-rules/rules.tsx')).VulnerabilityRules,
    {
      links: { tabs: true },
    },
  ),
  screen(
    '/-/admin/due_dates',
    'Due dates',
    async () => (await import('../features/due-dates/due-dates.tsx')).DueDates,
    {
      links: { tabs: true },
    },
  ),
  screen('/-/admin/audit_log', 'Audit log', async () => (await import('../features/audit/audit-log.tsx')).AuditLog, {
    links: { tabs: true },
  }),
  screen('/-/admin/storage', 'Storage', async () => (await import('../features/admin/storage.tsx')).Storage, {
    links: { tabs: true },
  }),
  screen(
    '/-/admin/organizations',
    'Organizations',
    async () => (await import('../features/admin/organizations.tsx')).Organizations,
    { links: { tabs: true } },
  ),
  screen('/-/admin/settings', 'Settings', async () => (await import('../features/admin/settings.tsx')).Settings, {
    links: { tabs: true },
  }),
]
