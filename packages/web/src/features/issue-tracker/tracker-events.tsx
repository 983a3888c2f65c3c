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
import { texts } from './texts.ts'
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
    done: texts.secretRemoved,
    onDone: () => setIssued(undefined),
  })
  const isOn = tracker.has_events_secret
  return (
    <Panel
      title={texts.webhook}
      actions={
        mayChange && (
          <>
            <Button
              size="small"
              isBusy={generate.isPending}
              onClick={() => (isOn ? setAsked(true) : generate.mutate({ path }))}
            >
              {isOn ? texts.replaceSecret : texts.generateSecret}
            </Button>
            {isOn && (
              <Button size="small" kind="danger" isBusy={remove.isPending} onClick={() => remove.mutate({ path })}>
                {texts.removeSecret}
              </Button>
            )}
          </>
        )
      }
    >
      <p>{isOn ? texts.theTrackerReportsChanges : texts.theStateOfIssues}</p>
      {isOn && (
        <Facts
          facts={[
            ['URL', <Copied key="url" text={tracker.events_url} label={texts.copyUrl} />],
            [texts.secret, issued && <Copied key="secret" text={issued.secret} label={texts.copySecret} />],
            [texts.lastEvent, tracker.event_at ? <Time key="event" of={tracker.event_at} /> : texts.noneYet],
          ]}
        />
      )}
      {issued && <p role="status">{texts.copyTheSecretNow(steps[tracker.kind])}</p>}
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={texts.replaceTheSecret}
        lead={texts.eventsWithTheCurrent}
        confirm={texts.replaceSecret}
        isBusy={generate.isPending}
        onConfirm={() => generate.mutate({ path })}
      />
    </Panel>
  )
}

const steps: Record<TrackerKind, string> = {
  gitlab: texts.inGitlabOpenSettings,
  github: texts.inGithubOpenSettings,
  gitea: texts.inGiteaOrForgejo,
  jira: texts.inJiraOpenSystem,
}

function Copied({ text, label }: { text: string; label: string }) {
  return (
    <span className="row-wrap">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  )
}
