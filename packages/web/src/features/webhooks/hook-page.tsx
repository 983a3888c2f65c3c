import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../components/button.tsx'
import { fill } from '../../components/fill.tsx'
import { ForWriters } from '../../components/form/for-writers.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { useMayChange } from '../../data/session.ts'
import { Deliveries } from './deliveries.tsx'
import { editedFields } from './hook-draft.ts'
import { HookForm } from './hook-form.tsx'
import { HookState } from './hook-state.tsx'
import { type Hook, useHookPlace } from './place.ts'
import { TestDelivery } from './test-delivery.tsx'
import { texts } from './texts.ts'

export function NewHook() {
  const { id, base, to } = useHookPlace()
  const [, navigate] = useLocation()
  const action = useAction(`POST ${base}`, {
    showsErrors: true,
    done: texts.webhookAdded,
    onDone: (hook) => navigate(to(hook.id)),
  })
  return (
    <Page title={texts.addWebhook}>
      <ForWriters>
        <Panel>
          <HookForm
            error={action.error}
            isBusy={action.isPending}
            onSave={(body) => action.mutate({ path: { id }, body })}
          />
        </Panel>
      </ForWriters>
    </Page>
  )
}

/** Settings and recent deliveries of a webhook. */
export function HookPage({ id: hookId }: { id: string }) {
  const { id, base } = useHookPlace()
  const query = useApiQuery(`GET ${base}/{hook_id}`, { path: { id, hook_id: hookId } })
  return (
    <QueryResult query={query} isPage>
      {(hook) => <Found hook={hook} />}
    </QueryResult>
  )
}

function Found({ hook }: { hook: Hook }) {
  const { id, base, to } = useHookPlace()
  const isWriter = useMayChange()
  const [, navigate] = useLocation()
  const [isAsked, setAsked] = useState(false)
  const [saves, setSaves] = useState(0)
  const path = { id, hook_id: hook.id }
  const change = useAction(`PUT ${base}/{hook_id}`, {
    showsErrors: true,
    done: texts.webhookSaved,
    onDone: () => setSaves((count) => count + 1),
  })
  const remove = useAction(`DELETE ${base}/{hook_id}`, {
    done: texts.webhookDeleted,
    isLeaving: true,
    onDone: () => navigate(to()),
  })
  return (
    <Page
      title={hook.name || texts.webhook}
      lead={
        <p className="row-wrap">
          <HookState hook={hook} />
          {hook.url}
          {hook.disabled_until && <span>{fill(texts.retries, { time: <Time of={hook.disabled_until} /> })}</span>}
        </p>
      }
      actions={
        isWriter && (
          <Button icon={Trash2} kind="danger" onClick={() => setAsked(true)}>
            {texts.deleteLabel}
          </Button>
        )
      }
    >
      {isWriter && (
        <>
          <TestDelivery hook={hook} />
          <Panel title={texts.webhookSettings}>
            <HookForm
              // Resets the form when it is saved or the edited fields change, but not after a delivery.
              key={`${saves} ${JSON.stringify(editedFields(hook))}`}
              hook={hook}
              isSaved={saves > 0}
              error={change.error}
              isBusy={change.isPending}
              onSave={(body) => change.mutate({ path, body })}
            />
          </Panel>
        </>
      )}
      <Deliveries hook={hook} />
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={texts.deleteThisWebhook}
        lead={texts.thisUrlNoLonger}
        confirm={texts.deleteLabel}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate({ path })}
      />
    </Page>
  )
}
