import type { Schemas } from '@alcove/client'
import { ScrollText } from 'lucide-react'
import { Link } from 'wouter'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/form/field.tsx'
import { ChoiceFilter, useChoice } from '../../components/form/filters.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { Time } from '../../components/time.tsx'
import { usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import styles from './audit-log.module.css'
import { describeEvent } from './event-text.ts'
import { useAuditPlace } from './place.ts'
import { startOfDay } from './start-of-day.ts'
import { texts } from './texts.ts'

type AuditEvent = Schemas['AuditEvent']

const perPage = 50

const leads = {
  project: texts.whoChangedWhatInTheProject,
  group: texts.whoChangedWhatInTheGroup,
  instance: texts.whoSignedInAndWho,
} as const

const kinds = [
  { value: '', label: texts.allEvents },
  { value: texts.user, label: texts.eventsOfUsers },
  { value: texts.group, label: texts.eventsOfGroups },
  { value: texts.project, label: texts.eventsOfProjects },
  { value: texts.gitlabAuditInstancescope, label: texts.eventsOfTheInstance },
] as const

/** Audit log of a project, of a group or of the instance, newest first. */
export function AuditLog() {
  const { noun, id, path, links } = useAuditPlace()
  const [state, set] = useSearchState(['author', 'from', 'until'])
  const kind = useChoice('kind', kinds)
  const query = usePage(`GET ${path}`, {
    path: { id },
    query: {
      ...(noun === 'instance' && kind !== '' && { entity_type: kind }),
      author_id: state.author === undefined ? undefined : Number(state.author),
      created_after: startOfDay(state.from),
      created_before: startOfDay(state.until, 1),
      page: usePageNumber(),
      per_page: perPage,
    },
  })
  const isFiltered = kind !== '' || state.author !== undefined || state.from !== undefined || state.until !== undefined
  return (
    <Page title={texts.auditLog} lead={leads[noun]}>
      {noun !== 'instance' && <Tabs label={texts.settingsSections} tabs={links} />}
      <search className={styles.filters}>
        {noun === 'instance' && <ChoiceFilter name="kind" label={texts.events} choices={kinds} />}
        <TextField
          label={texts.from}
          type="date"
          value={state.from ?? ''}
          onChange={({ target }) => set({ from: target.value || undefined })}
        />
        <TextField
          label={texts.until}
          type="date"
          value={state.until ?? ''}
          onChange={({ target }) => set({ until: target.value || undefined })}
        />
        {state.author !== undefined && (
          <Button onClick={() => set({ author: undefined })}>{texts.oneAuthorOnlyShow}</Button>
        )}
      </search>
      <PagedTable
        label={texts.auditEvents}
        query={query}
        perPage={perPage}
        empty={{
          icon: ScrollText,
          title: isFiltered ? texts.noMatchingEvents : texts.noEvents,
          text: <p>{isFiltered ? texts.chooseOtherDaysOrAnother : texts.changesAppearHere}</p>,
        }}
        columns={[
          [texts.time, (event) => <Time of={event.created_at} />, styles.time],
          [texts.author, (event) => <Author event={event} onChoose={() => set({ author: String(event.author_id) })} />],
          [texts.event, (event) => <What event={event} />],
          [texts.ipAddress, (event) => describeEvent(event).address ?? <span className="muted">–</span>, 'small'],
        ]}
      />
    </Page>
  )
}

function Author({ event, onChoose }: { event: AuditEvent; onChoose: () => void }) {
  const { author, username } = describeEvent(event)
  if (event.author_id <= 0) return <span className="muted">{author}</span>
  return (
    <>
      <button type="button" className={styles.author} title={texts.showEventsOfThisAuthor} onClick={onChoose}>
        {author}
      </button>
      {username !== undefined && <p className="muted small">@{username}</p>}
    </>
  )
}

function What({ event }: { event: AuditEvent }) {
  const { action, target, link, changes, facts } = describeEvent(event)
  return (
    <>
      <p>
        {action}
        {target !== '' && ': '}
        {link === undefined ? target : <Link to={link}>{target}</Link>}
      </p>
      <details className="small">
        <summary className={styles.summary}>
          {texts.details}
          <span className="visually-hidden"> {texts.ofEvent(event.id)}</span>
        </summary>
        <dl className={styles.details}>
          {changes.map(({ name, from, to }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <del>{from}</del> → <ins>{to}</ins>
              </dd>
            </div>
          ))}
          {facts.map(({ label, value }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  )
}
