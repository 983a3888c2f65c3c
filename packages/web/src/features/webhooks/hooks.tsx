import { Plus, Webhook } from 'lucide-react'
import { Link } from 'wouter'
import { LinkButton } from '../../components/button.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { Time } from '../../components/time.tsx'
import { usePage } from '../../data/api.ts'
import { useMayChange } from '../../data/session.ts'
import { subscribedEvents } from './events.ts'
import { HookState } from './hook-state.tsx'
import { useHookPlace, useSettingsLinks } from './place.ts'

const perPage = 20

const leads = {
  project: 'Webhooks send an HTTP request when something changes in the project.',
  group: 'Webhooks send an HTTP request when something changes in the group or in a project below it.',
  instance: 'Webhooks of the instance send an HTTP request when something changes in any project or group.',
} as const

/** Webhooks of a project, of a group or of the instance. */
export function Hooks() {
  const { noun, id, base, to } = useHookPlace()
  const isWriter = useMayChange()
  const links = useSettingsLinks()
  const query = usePage(`GET ${base}`, { path: { id }, query: { page: usePageNumber(), per_page: perPage } })
  const add = isWriter && (
    <LinkButton icon={Plus} kind="primary" to={to('new')}>
      Add webhook
    </LinkButton>
  )
  return (
    <Page title="Webhooks" lead={leads[noun]} actions={add}>
      {noun !== 'instance' && <Tabs label="Settings sections" tabs={links} />}
      <PagedTable
        label="Webhooks"
        query={query}
        perPage={perPage}
        empty={{
          icon: Webhook,
          title: 'No webhooks',
          text: isWriter && <p>Add the URL of a chat, an issue tracker or your own service to notify it.</p>,
        }}
        columns={[
          [
            'URL',
            (hook) => (
              <>
                <Link to={to(hook.id)}>{hook.name || hook.url}</Link>
                {hook.name && <p className="muted small">{hook.url}</p>}
              </>
            ),
          ],
          [
            'Events',
            (hook) =>
              subscribedEvents(hook)
                .map(({ label }) => label.replace(/ events$/, ''))
                .join(', '),
            'small',
          ],
          ['Status', (hook) => <HookState hook={hook} />],
          ['Added', (hook) => <Time of={hook.created_at} />, 'muted'],
        ]}
      />
    </Page>
  )
}
