import { SearchX } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
// Keeps the parameters of the address as they are; see `search-state.ts`.
import { useSearch } from 'wouter/use-browser-location'
import { SeverityBadge, stateInWords } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ChoiceFilter, useChoice } from '../../components/form/filters.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Empty } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { usePage } from '../../data/api.ts'
import { type Filter, states } from '../../nouns/vulnerability/filters.ts'
import { type Owner, scopeOf } from '../../nouns/vulnerability/owner.ts'
import styles from './flaw-list.module.css'
import { groupings } from './flaws/groupings.ts'
import { FlawChangesDialog, JoinDialog, SplitDialog } from './flaws/lazy-dialogs.ts'
import type { Flaw, FlawPlace } from './flaws/use-regrouping.ts'
import { texts } from './texts.ts'
import { ActionDialog } from './triage/lazy-dialogs.ts'
import { useTriage } from './triage/triage.ts'
import type { Action, Target } from './triage/triage-change.ts'

const sorts = [
  { value: 'severity_desc', label: texts.severityHighToLow },
  { value: 'severity_asc', label: texts.severityLowToHigh },
  { value: 'priority_desc', label: texts.priorityHighToLow },
  { value: 'priority_asc', label: texts.priorityLowToHigh },
  { value: 'count_desc', label: texts.occurrencesMost },
  { value: 'count_asc', label: texts.occurrencesFewest },
] as const

const perPage = 25

/** The list with one row for vulnerabilities that are the same, found by several scanners or in several projects. */
export function FlawList({
  owner,
  filter,
  place,
}: {
  owner: Owner
  filter: Filter
  /** Absent: the user may not split or join rows. */
  place?: FlawPlace | undefined
}) {
  const query = useFlaws(owner, filter)
  const triage = useTriage()
  const [asked, setAsked] = useState<{ action: Action; target: Target }>()
  const [selected, setSelected] = useState<readonly Flaw[]>([])
  const [splitting, setSplitting] = useState<Flaw>()
  const isSelected = ({ id }: Flaw) => selected.some((other) => other.id === id)
  const toggle = (flaw: Flaw) =>
    setSelected(isSelected(flaw) ? selected.filter(({ id }) => id !== flaw.id) : [...selected, flaw])
  return (
    <>
      <div className="row-wrap">
        <p className="muted" role="status">
          {query.data?.total !== undefined && texts.vulnerabilitiesTotal(query.data.total)}
        </p>
        {place && <Regrouping place={place} selected={selected} onClear={() => setSelected([])} />}
        <div className="row-wrap push">
          <ChoiceFilter name="group_by" label={texts.groupBy} choices={groupings} />
          <ChoiceFilter name="sort" label={texts.sort} choices={sorts} />
        </div>
      </div>
      <PagedList
        query={query}
        perPage={perPage}
        empty={<Empty icon={SearchX} title={texts.noVulnerabilitiesMatchThese} />}
      >
        {(rows) => (
          <Table
            label={texts.vulnerabilities}
            head={[...(place ? [''] : []), texts.severity, texts.vulnerability, texts.occurrences, texts.detected, '']}
          >
            {rows.map((flaw) => (
              <FlawRow
                key={flaw.id}
                flaw={flaw}
                selection={place && { isSelected: isSelected(flaw), onToggle: () => toggle(flaw) }}
                onSplit={place && flaw.vulnerability_count > 1 ? () => setSplitting(flaw) : undefined}
                onAct={
                  owner.mayTriage
                    ? (action) =>
                        setAsked({
                          action,
                          target: {
                            owner,
                            filter: { ...filter, flaw: [`${flaw.id}`] },
                            count: flaw.vulnerability_count,
                          },
                        })
                    : undefined
                }
              />
            ))}
          </Table>
        )}
      </PagedList>
      {place && splitting && <SplitDialog place={place} flaw={splitting} onClose={() => setSplitting(undefined)} />}
      {asked && (
        <ActionDialog
          action={asked.action}
          target={asked.target}
          onClose={() => setAsked(undefined)}
          onApply={(change, target) => triage.apply(change, target)}
        />
      )}
    </>
  )
}

/** Buttons that join two selected rows, and show earlier splits and joins. */
function Regrouping({
  place,
  selected,
  onClear,
}: {
  place: FlawPlace
  selected: readonly Flaw[]
  onClear: () => void
}) {
  const [isJoining, setJoining] = useState(false)
  const [showsChanges, setShowsChanges] = useState(false)
  const [first, second] = selected
  return (
    <>
      {first && (
        <>
          <Button size="small" disabled={selected.length !== 2} onClick={() => setJoining(true)}>
            {texts.join}
          </Button>
          <Button kind="quiet" size="small" onClick={onClear}>
            {texts.clearSelection}
          </Button>
          <span className="muted small" aria-live="polite">
            {selected.length === 2 ? texts.n2RowsSelected : texts.select2RowsToJoin}
          </span>
        </>
      )}
      <Button kind="quiet" size="small" data-focus-safe="" onClick={() => setShowsChanges(true)}>
        {texts.splitsAndJoins}
      </Button>
      {isJoining && first && second && (
        <JoinDialog place={place} flaws={[first, second]} onDone={onClear} onClose={() => setJoining(false)} />
      )}
      {showsChanges && <FlawChangesDialog place={place} onClose={() => setShowsChanges(false)} />}
    </>
  )
}

function useFlaws(owner: Owner, filter: Filter) {
  const query = {
    ...filter,
    ...scopeOf(owner),
    sort: useChoice('sort', sorts),
    page: usePageNumber(),
    per_page: perPage,
  }
  const ofInstance = usePage('GET /vulnerability_flaws', { query }, { isEnabled: owner.kind === 'instance' })
  const ofPlace = usePage(
    owner.kind === 'project' ? 'GET /projects/{id}/vulnerability_flaws' : 'GET /groups/{id}/vulnerability_flaws',
    { path: { id: owner.kind === 'instance' ? 0 : owner.id }, query },
    { isEnabled: owner.kind !== 'instance' },
  )
  return owner.kind === 'instance' ? ofInstance : ofPlace
}

function FlawRow({
  flaw,
  selection,
  onSplit,
  onAct,
}: {
  flaw: Flaw
  selection: { isSelected: boolean; onToggle: () => void } | undefined
  onSplit: (() => void) | undefined
  onAct: ((action: Action) => void) | undefined
}) {
  const occurrences = useOccurrences(flaw)
  const name = flaw.identifiers[0] ?? flaw.title
  return (
    <tr>
      {selection && (
        <td>
          <input
            type="checkbox"
            aria-label={texts.select(flaw.title)}
            checked={selection.isSelected}
            onChange={selection.onToggle}
          />
        </td>
      )}
      <td>
        <SeverityBadge severity={flaw.severity} />
      </td>
      <td className={styles.what}>
        <div>{flaw.title}</div>
        <div className="muted small">{[name, flaw.package].filter(Boolean).join(' · ')}</div>
        {flaw.vulnerability_count > 1 && (
          <details className="small">
            <summary>
              {texts.whyOneRow}
              <span className="visually-hidden">: {flaw.title}</span>
            </summary>
            <ul>
              {flaw.explanation.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          </details>
        )}
      </td>
      <td className={styles.where}>
        <Link to={occurrences}>
          {texts.occurrence(flaw.vulnerability_count)}
          <span className="visually-hidden"> {texts.of(flaw.title)}</span>
        </Link>
        <div className="muted small">
          {texts.projectProjectCount(flaw.project_count)} · {flaw.scanners.map((scanner) => scanner.name).join(', ')}
        </div>
        <div className="muted small">{statesInWords(flaw)}</div>
      </td>
      <td>
        <Time of={flaw.first_detected_at} />
      </td>
      <td>
        {onAct && (
          <span className="row">
            {onSplit && (
              <Button size="small" kind="quiet" onClick={onSplit} aria-label={texts.splitTitle(flaw.title)}>
                {texts.split}
              </Button>
            )}
            <Button size="small" onClick={() => onAct('confirm')} aria-label={texts.confirmAll(flaw.title)}>
              {texts.confirm}
            </Button>
            <Button size="small" onClick={() => onAct('dismiss')} aria-label={texts.dismissAll(flaw.title)}>
              {texts.dismiss}
            </Button>
          </span>
        )}
      </td>
    </tr>
  )
}

/** Returns the address of the ungrouped list of a row's vulnerabilities, with the same filter. */
function useOccurrences({ id }: Flaw): string {
  const [path] = useLocation()
  const parameters = new URLSearchParams(useSearch())
  for (const name of ['group_by', 'sort', 'page']) parameters.delete(name)
  parameters.set('flaw', `${id}`)
  return `${path}?${parameters}`
}

const statesInWords = (flaw: Flaw): string =>
  states
    .filter((state) => flaw.states[state] > 0)
    .map((state) => `${stateInWords(state)}: ${flaw.states[state]}`)
    .join(', ')
