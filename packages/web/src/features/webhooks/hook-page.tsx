import { Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../components/button.tsx'
import { ForWriters } from '../../components/form/for-writers.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { useMayChange } from '../../data/session.ts'
import { Deliveries } from './deliveries.tsx'
import { type Hook, HookForm } from './hook-form.tsx'
import { HookState } from './hooks.tsx'
import { useHookPlace } from './place.ts'

export function NewHook() {
  const { noun, id: placeId, to } = useHookPlace()
  const [, navigate] = useLocation()
  const action = useAction(`POST /${noun}s/{id}/hooks`, {
    showsErrors: true,
    done: 'Webhook added.',
    onDone: ({ id }) => navigate(to(`settings/hooks/${id}`)),
  })
  return (
    <Page title="Add webhook" crumbs={[{ label: 'Webhooks', to: to('settings/hooks') }]}>
      <ForWriters>
        <Panel>
          <HookForm
            error={action.error}
            isBusy={action.isPending}
            onSave={(body) => action.mutate({ path: { id: placeId }, body })}
          />
        </Panel>
      </ForWriters>
    </Page>
  )
}

/** Settings and recent deliveries of a webhook. */
export function HookPage({ id }: { id: string }) {
  const { noun, id: placeId } = useHookPlace()
  const query = useApiQuery(`GET /${noun}s/{id}/hooks/{hook_id}`, { path: { id: placeId, hook_id: id } })
  return (
    <QueryResult query={query} isPage>
      {(hook) => <Found hook={hook} />}
    </QueryResult>
  )
}

function Found({ hook }: { hook: Hook }) {
  const { noun, id: placeId, to } = useHookPlace()
  const isWriter = useMayChange()
  const [, navigate] = useLocation()
  const [isAsked, setAsked] = useState(false)
  const path = { id: placeId, hook_id: hook.id }
  const change = useAction(`PUT /${noun}s/{id}/hooks/{hook_id}`, { showsErrors: true, done: 'Webhook saved.' })
  const test = useAction(`POST /${noun}s/{id}/hooks/{hook_id}/test/{trigger}`, { done: 'Test delivery succeeded.' })
  const remove = useAction(`DELETE /${noun}s/{id}/hooks/{hook_id}`, {
    done: 'Webhook deleted.',
    isLeaving: true,
    onDone: () => navigate(to('settings/hooks')),
  })
  return (
    <Page
      title={hook.name || 'Webhook'}
      crumbs={[{ label: 'Webhooks', to: to('settings/hooks') }]}
      lead={
        <p className="row-wrap">
          <HookState status={hook.alert_status} isOn={hook.vulnerability_events || hook.resource_access_token_events} />
          {hook.url}
          {hook.disabled_until && (
            <span>
              – retries <Time of={hook.disabled_until} />
            </span>
          )}
        </p>
      }
      actions={
        isWriter && (
          <>
            <Button
              icon={Send}
              isBusy={test.isPending}
              onClick={() => test.mutate({ path: { ...path, trigger: 'vulnerability_events' } })}
            >
              Send test event
            </Button>
            <Button icon={Trash2} kind="danger" onClick={() => setAsked(true)}>
              Delete
            </Button>
          </>
        )
      }
    >
      {isWriter && (
        <Panel title="Webhook settings">
          <HookForm
            // Resets the form when the edited fields change, but not after a delivery.
            key={[
              ...[hook.url, hook.name, hook.description, hook.vulnerability_events, hook.enable_ssl_verification],
              ...[hook.token_present, hook.signing_token_present, hook.format, hook.min_severity],
            ].join('\n')}
            hook={hook}
            error={change.error}
            isBusy={change.isPending}
            onSave={(body) => change.mutate({ path, body })}
          />
        </Panel>
      )}
      <Deliveries hook={hook} />
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title="Delete this webhook?"
        lead="This URL no longer receives events, and the log of deliveries is deleted."
        confirm="Delete"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate({ path })}
      />
    </Page>
  )
}
