import type { Schemas } from '@alcove/client'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ForWriters } from '../../components/form/for-writers.tsx'
import { Problem } from '../../components/form/problem.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { useLinks } from '../../components/page/screens.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { Time } from '../../components/time.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { useMayChange } from '../../data/session.ts'
import { Facts, Outside } from '../../nouns/finding/facts.tsx'
import { useGroup } from '../../nouns/group/group.ts'
import { useProject } from '../../nouns/project/project.ts'
import { type Tracker, trackerInWords, trackerKinds } from '../../nouns/tracker/tracker.ts'
import { texts } from './texts.ts'
import { TrackerEvents } from './tracker-events.tsx'
import { TrackerForm, type TrackerPlace } from './tracker-form.tsx'

export function ProjectIssueTracker() {
  const screen = useProject()
  const tabs = <Tabs label={texts.settingsSections} tabs={useLinks('settings', 'project', screen)} />
  return <IssueTracker place={{ noun: 'project', id: screen.project.id }} tabs={tabs} />
}

export function GroupIssueTracker() {
  const screen = useGroup()
  const tabs = <Tabs label={texts.settingsSections} tabs={useLinks('settings', 'group', screen)} />
  return <IssueTracker place={{ noun: 'group', id: screen.group.id }} tabs={tabs} />
}

/** Settings of the issue tracker of a project or group. */
function IssueTracker({ place, tabs }: { place: TrackerPlace; tabs: ReactNode }) {
  const query = useApiQuery(`GET /${place.noun}s/{id}/issue_tracker`, { path: { id: place.id } })
  return (
    <Page
      title={texts.issueTracker}
      lead={texts.issuesAreCreatedHere(place.noun === 'group' ? texts.projectsInTheGroup : texts.theProject)}
    >
      {tabs}
      <QueryResult query={query}>{(found) => <Found place={place} trackers={found} />}</QueryResult>
    </Page>
  )
}

function Found({ place, trackers }: { place: TrackerPlace; trackers: Schemas['IssueTrackers'] }) {
  const { own, effective, defaults } = trackers
  return (
    <>
      {own && (
        <>
          <Connection place={place} tracker={own} />
          <TrackerEvents key={own.id} place={place} tracker={own} />
        </>
      )}
      {!own && effective && <Inherited place={place} tracker={effective} />}
      <ForWriters>
        <Panel title={own ? texts.settings : effective ? texts.useAnotherTracker : texts.addAnIssueTracker}>
          {/* Another tracker resets the form. */}
          <TrackerForm key={own?.id} place={place} tracker={own ?? undefined} defaults={defaults} />
        </Panel>
      </ForWriters>
    </>
  )
}

function Inherited({ place, tracker }: { place: TrackerPlace; tracker: Tracker }) {
  return (
    <Panel title={texts.inheritedTracker}>
      <p>{texts.aGroupAboveHas(trackerInWords(tracker), place.noun)}</p>
    </Panel>
  )
}

/** State of the connection, with a test and the removal. */
function Connection({ place, tracker }: { place: TrackerPlace; tracker: Tracker }) {
  const mayChange = useMayChange()
  const [isAsked, setAsked] = useState(false)
  const path = { id: place.id }
  const test = useAction(`POST /${place.noun}s/{id}/issue_tracker/test`)
  const remove = useAction(`DELETE /${place.noun}s/{id}/issue_tracker`, {
    done: texts.issueTrackerRemoved,
    onDone: () => setAsked(false),
  })
  const result = test.isPending ? undefined : test.data
  return (
    <Panel
      title={texts.connection}
      actions={
        mayChange && (
          <>
            <Button size="small" isBusy={test.isPending} onClick={() => test.mutate({ path })}>
              {texts.testConnection}
            </Button>
            <Button size="small" kind="danger" onClick={() => setAsked(true)}>
              {texts.removeTracker}
            </Button>
          </>
        )
      }
    >
      <Facts
        facts={[
          [texts.type, trackerKinds.find(({ value }) => value === tracker.kind)?.label],
          [
            texts.project,
            <Outside key="project" url={tracker.url}>
              {trackerInWords(tracker)}
            </Outside>,
          ],
          [texts.lastSynchronized, tracker.polled_at ? <Time key="polled" of={tracker.polled_at} /> : texts.notYet],
          [texts.problem, tracker.sync_error],
        ]}
      />
      <p role="status">{result?.ok && result.message}</p>
      {result && !result.ok && <Problem text={result.message} />}
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={texts.removeTheIssueTracker}
        lead={texts.linksToItsIssues}
        confirm={texts.removeTracker}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate({ path })}
      />
    </Panel>
  )
}
