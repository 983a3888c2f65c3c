import type { Schemas } from '@alcove/client'
import { SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { severities, stateInWords } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { inWords, reportTypeInWords } from '../../../components/format.ts'
import { SearchField } from '../../../components/search-field.tsx'
import {
  dismissalReasons,
  type FilterChanges,
  type FilterState,
  listed,
  severitiesIn,
  states,
  statesIn,
  toggled,
  toggledState,
} from '../../../nouns/vulnerability/filter.ts'
import styles from './filter-bar.module.css'
import { FilterMenu } from './filter-menu.tsx'
import { type ChoiceFilter, MoreFilters, type TextFilter } from './more-filters.tsx'
import { countOf, SeverityBar, type Statistics } from './severity-bar.tsx'

const reasons = dismissalReasons.map((value) => ({ value, label: inWords(value) }))
const texts: readonly TextFilter[] = [
  { name: 'identifier', label: 'Identifier', hint: 'Exact match, for example CVE-2021-44228' },
  { name: 'ref', label: 'Branch or tag', hint: 'Present on this branch' },
]
const choices: readonly ChoiceFilter[] = [
  {
    name: 'has_resolution',
    label: 'Activity',
    choices: [
      { value: '', label: 'Any' },
      { value: 'false', label: 'Still detected' },
      { value: 'true', label: 'No longer detected' },
    ],
  },
  {
    name: 'present_on_default_branch',
    label: 'Detected on the default branch',
    choices: [
      { value: '', label: 'Default' },
      { value: 'true', label: 'Ever' },
      { value: 'false', label: 'Never' },
    ],
  },
]

/** Severity bar and filters. On a narrow screen the filters open from a button, so that the list comes first. */
export function FilterBar({
  state,
  onChange,
  statistics,
  summary,
  links,
}: {
  state: FilterState
  onChange: (changes: FilterChanges, options?: { isReplacing?: boolean }) => void
  statistics: Statistics | undefined
  summary: Schemas['VulnerabilitySummary'] | undefined
  /** Links and buttons beside the severity bar. */
  links: ReactNode
}) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const chosenStates = statesIn(state)
  const chosenSeverities = severitiesIn(state)
  const ofSeverities = chosenSeverities.length > 0 ? chosenSeverities : severities
  const types = (summary?.report_types ?? []).map(({ name, total }) => ({
    value: name,
    label: reportTypeInWords(name),
    count: total,
  }))
  const scanners = (summary?.scanners ?? []).map(({ external_id: value, name, total }) => ({
    value,
    label: name,
    count: total,
  }))
  return (
    <div className={styles.bar}>
      <SeverityBar statistics={statistics} state={state} onChange={onChange} />
      <div className={`${styles.links} ${isOpen ? '' : styles.closed}`}>{links}</div>
      <div className={styles.line}>
        <SearchField
          label="Search vulnerabilities"
          placeholder="Search by title, file or identifier"
          value={state.search ?? ''}
          onSearch={(search) => onChange({ search }, { isReplacing: true })}
        />
        <div className={styles.toggle}>
          <Button icon={SlidersHorizontal} aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
            Filters
          </Button>
        </div>
        <div id={id} className={`${styles.menus} ${isOpen ? '' : styles.closed}`}>
          <FilterMenu
            label="Status"
            choices={states.map((value) => ({
              value,
              label: stateInWords(value),
              count: statistics && countOf(statistics, ofSeverities, [value]),
            }))}
            chosen={chosenStates}
            onToggle={(value) => {
              const wanted = states.find((name) => name === value)
              if (wanted) onChange({ state: toggledState(state, wanted) })
            }}
          />
          <FilterMenu
            label="Report type"
            choices={types}
            chosen={listed(state.report_type)}
            onToggle={(value) => onChange({ report_type: toggled(state.report_type, value) })}
          />
          <FilterMenu
            label="Scanner"
            choices={scanners}
            chosen={listed(state.scanner)}
            onToggle={(value) => onChange({ scanner: toggled(state.scanner, value) })}
          />
          <FilterMenu
            label="Dismissal reason"
            choices={reasons}
            chosen={listed(state.dismissal_reason)}
            onToggle={(value) => onChange({ dismissal_reason: toggled(state.dismissal_reason, value) })}
          />
          <MoreFilters texts={texts} choices={choices} state={state} onChange={onChange} />
        </div>
      </div>
    </div>
  )
}
