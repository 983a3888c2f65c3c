import type { Schemas } from '@alcove/client'
import { SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { severities, stateInWords } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { SearchField } from '../../../components/form/search-field.tsx'
import { reportTypeInWords } from '../../../components/format.ts'
import {
  type FilterChanges,
  type FilterState,
  listed,
  severitiesIn,
  statesIn,
  toggledIn,
} from '../../../nouns/vulnerability/filter-state.ts'
import { assigneeInWords, type FilterName, filterNames, filters, states } from '../../../nouns/vulnerability/filters.ts'
import type { Owner } from '../../../nouns/vulnerability/owner.ts'
import styles from './filter-bar.module.css'
import { FilterMenu, MoreFilters } from './filter-button.tsx'
import { choicesOf, type FilterChoice } from './filter-props.ts'
import { countOf, SeverityBar, type Statistics } from './severity-bar.tsx'

// The search has its own field, and severities are chosen in the severity bar.
const menus = filterNames.flatMap((name) => {
  const control = filters[name]
  return control.kind === 'list' && !control.isRare && name !== 'severity' ? [{ name, control }] : []
})
const moreFilters = filterNames.filter((name) => {
  const control = filters[name]
  return control.kind === 'list' ? control.isRare : name !== 'search'
})

/** Severity bar and filters. On a narrow screen the filters open from a button, so that the list comes first. */
export function FilterBar({
  owner,
  state,
  onChange,
  statistics,
  summary,
  links,
}: {
  owner: Owner
  state: FilterState
  onChange: (changes: FilterChanges, options?: { isReplacing?: boolean }) => void
  statistics: Statistics | undefined
  summary: Schemas['VulnerabilitySummary'] | undefined
  /** Links and buttons beside the severity bar. */
  links: ReactNode
}) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const chosenSeverities = severitiesIn(state)
  const ofSeverities = chosenSeverities.length > 0 ? chosenSeverities : severities
  const countedChoices: { [Name in FilterName]?: FilterChoice[] } = {
    state: states.map((value) => ({
      value,
      label: stateInWords(value),
      count: statistics && countOf(statistics, ofSeverities, [value]),
    })),
    assignee_id: ['me', 'none'].map((value) => ({ value, label: assigneeInWords(value) })),
    report_type: (summary?.report_types ?? []).map(({ name, total }) => ({
      value: name,
      label: reportTypeInWords(name),
      count: total,
    })),
    scanner: (summary?.scanners ?? []).map(({ external_id: value, name, total }) => ({
      value,
      label: name,
      count: total,
    })),
  }
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
          {menus.map(({ name, control }) => (
            <FilterMenu
              key={name}
              label={control.label}
              choices={countedChoices[name] ?? choicesOf(control)}
              chosen={name === 'state' ? statesIn(state) : listed(state[name])}
              onToggle={(value) => onChange(toggledIn(name, state, value))}
            />
          ))}
          <MoreFilters owner={owner} names={moreFilters} state={state} onChange={onChange} />
        </div>
      </div>
    </div>
  )
}
