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
import { texts } from './texts.ts'

const perPage = 20

const leads = {
  project: texts.webhooksSendAnHttp,
  group: texts.webhooksSendAnHttpRequest,
  instance: texts.webhooksOfTheInstance,
} as const

/** Webhooks of a project, of a group or of the instance. */
export function Hooks() {
  const { noun, id, base, to } = useHookPlace()
  const isWriter = useMayChange()
  const links = useSettingsLinks()
  const query = usePage(`GET ${base}`, { path: { id }, query: { page: usePageNumber(), per_page: perPage } })
  const add = isWriter && (
    <LinkButton icon={Plus} kind="primary" to={to('new')}>
      {texts.addWebhook}
    </LinkButton>
  )
  return (
    <Page title={texts.webhooks} lead={leads[noun]} actions={add}>
      {noun !== 'instance' && <Tabs label={texts.settingsSections} tabs={links} />}
      <PagedTable
        label={texts.webhooks}
        query={query}
        perPage={perPage}
        empty={{
          icon: Webhook,
          title: texts.noWebhooks,
          text: isWriter && <p>{texts.addTheUrlOfAChat}</p>,
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
            texts.events,
            (hook) =>
              subscribedEvents(hook)
                .map(({ label }) => label.replace(/ events$/, ''))
                .join(', '),
            'small',
          ],
          [texts.status, (hook) => <HookState hook={hook} />],
          [texts.added, (hook) => <Time of={hook.created_at} />, 'muted'],
        ]}
      />
    </Page>
  )
}
