import { Plus, Webhook } from 'lucide-react'
import { Link } from 'wouter'
import { Badge, type Tone } from '../../components/badge.tsx'
import { LinkButton } from '../../components/button.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { Time } from '../../components/time.tsx'
import { usePage } from '../../data/api.ts'
import { useMayChange } from '../../data/session.ts'
import { useHookPlace, useSettingsLinks } from './place.ts'

const perPage = 20

/** Webhooks of a project or group. */
export function Hooks() {
  const { noun, id: placeId, to } = useHookPlace()
  const isWriter = useMayChange()
  const links = useSettingsLinks()
  const query = usePage(`GET /${noun}s/{id}/hooks`, {
    path: { id: placeId },
    query: { page: usePageNumber(), per_page: perPage },
  })
  const add = isWriter && (
    <LinkButton icon={Plus} kind="primary" to={to('settings/hooks/new')}>
      Add webhook
    </LinkButton>
  )
  return (
    <Page
      title="Webhooks"
      lead={`Webhooks send an HTTP request when a vulnerability${noun === 'group' ? ' of a project in the group' : ''} changes.`}
      actions={add}
    >
      <Tabs label="Settings sections" tabs={links} />
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
                <Link to={to(`settings/hooks/${hook.id}`)}>{hook.name || hook.url}</Link>
                {hook.name && <p className="muted small">{hook.url}</p>}
              </>
            ),
          ],
          [
            'Status',
            (hook) => (
              <HookState
                status={hook.alert_status}
                isOn={hook.vulnerability_events || hook.resource_access_token_events}
              />
            ),
          ],
          ['Added', (hook) => <Time of={hook.created_at} />, 'muted'],
        ]}
      />
    </Page>
  )
}

const states: Record<string, { label: string; tone: Tone }> = {
  executable: { label: 'Active', tone: 'success' },
  temporarily_disabled: { label: 'Temporarily disabled', tone: 'warning' },
  disabled: { label: 'Disabled', tone: 'danger' },
}

export function HookState({ status, isOn }: { status: string; isOn: boolean }) {
  if (!isOn) return <Badge>No events</Badge>
  const { label, tone } = states[status] ?? { label: status, tone: 'neutral' as const }
  return <Badge tone={tone}>{label}</Badge>
}
