import type { ResponseOf } from '@alcove/client'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { Panel } from '../../components/page/page.tsx'
import { Time } from '../../components/time.tsx'
import { useAction } from '../../data/api.ts'
import { useMayChange } from '../../data/session.ts'
import { Facts } from '../../nouns/finding/facts.tsx'
import type { Tracker, TrackerKind } from '../../nouns/tracker/tracker.ts'
import type { TrackerPlace } from './tracker-form.tsx'

type Issued = ResponseOf<'POST /projects/{id}/issue_tracker/events_secret'>

/** Webhook with which the tracker reports changes at once, in addition to the hourly synchronisation. */
export function TrackerEvents({ place, tracker }: { place: TrackerPlace; tracker: Tracker }) {
  const mayChange = useMayChange()
  const [isAsked, setAsked] = useState(false)
  const [issued, setIssued] = useState<Issued>()
  const path = { id: place.id }
  const generate = useAction(`POST /${place.noun}s/{id}/issue_tracker/events_secret`, {
    onDone(response) {
      setIssued(response)
      setAsked(false)
    },
  })
  const remove = useAction(`DELETE /${place.noun}s/{id}/issue_tracker/events_secret`, {
    done: 'Secret removed.',
    onDone: () => setIssued(undefined),
  })
  const isOn = tracker.has_events_secret
  return (
    <Panel
      title="Webhook"
      actions={
        mayChange && (
          <>
            <Button
              size="small"
              isBusy={generate.isPending}
              onClick={() => (isOn ? setAsked(true) : generate.mutate({ path }))}
            >
              {isOn ? 'Replace secret' : 'Generate secret'}
            </Button>
            {isOn && (
              <Button size="small" kind="danger" isBusy={remove.isPending} onClick={() => remove.mutate({ path })}>
                Remove secret
              </Button>
            )}
          </>
        )
      }
    >
      <p>
        {isOn
          ? 'The tracker reports changes of issues at once.'
          : 'The state of issues is updated every hour. With a webhook in the tracker it is updated at once.'}
      </p>
      {isOn && (
        <Facts
          facts={[
            ['URL', <Copied key="url" text={tracker.events_url} label="Copy URL" />],
            ['Secret', issued && <Copied key="secret" text={issued.secret} label="Copy secret" />],
            ['Last event', tracker.event_at ? <Time key="event" of={tracker.event_at} /> : 'None yet'],
          ]}
        />
      )}
      {issued && (
        <p role="status">
          Copy the secret now: it is not shown again. {steps[tracker.kind]} Then change an issue to test the webhook.
        </p>
      )}
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title="Replace the secret?"
        lead="Events with the current secret are refused from then on."
        confirm="Replace secret"
        isBusy={generate.isPending}
        onConfirm={() => generate.mutate({ path })}
      />
    </Panel>
  )
}

const steps: Record<TrackerKind, string> = {
  gitlab:
    'In GitLab, open Settings › Webhooks of the project, add the URL and the secret token, and select Issues events.',
  github:
    'In GitHub, open Settings › Webhooks of the repository, add the URL and the secret, choose the content type application/json and the event Issues.',
  gitea:
    'In Gitea or Forgejo, open Settings › Webhooks of the repository, add the URL and the secret, and choose the event Issues.',
  jira: 'In Jira, open System › WebHooks, add the URL and the secret, and choose the event “Issue updated”. A rule of the automation can send the secret in the header X-Alcove-Token.',
}

function Copied({ text, label }: { text: string; label: string }) {
  return (
    <span className="row-wrap">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  )
}
