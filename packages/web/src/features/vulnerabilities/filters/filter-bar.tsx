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
import {
  assigneeInWords,
  type FilterName,
  filterNames,
  filters,
  findingFilterNames,
  states,
} from '../../../nouns/vulnerability/filters.ts'
import type { Owner } from '../../../nouns/vulnerability/owner.ts'
import { texts } from '../texts.ts'
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

// Scanners and branches of findings are not counted, so they are typed.
const findingControls: typeof filters = {
  ...filters,
  scanner: { kind: 'text', label: texts.scanner, hint: texts.scannerIdForExample, isList: true },
  ref: { kind: 'text', label: texts.branchOrTag, hint: texts.insteadOfTheDefault },
}
const findingMenus = menus.filter(({ name }) => name === 'report_type')
const moreFindingFilters = findingFilterNames.filter(
  (name) => findingControls[name].kind === 'text' && name !== 'search',
)

/** Severity bar and filters. On a narrow screen the filters open from a button, so that the list comes first. */
export function FilterBar({
  owner,
  state,
  onChange,
  statistics,
  summary,
  links,
  projects,
  isAwaiting = false,
}: {
  owner: Owner
  state: FilterState
  onChange: (changes: FilterChanges, options?: { isReplacing?: boolean }) => void
  statistics: Statistics | undefined
  summary: Schemas['VulnerabilitySummary'] | undefined
  /** Links and buttons beside the severity bar. */
  links: ReactNode
  /** Filter by projects, of a list of many. */
  projects?: ReactNode
  /** True: the list of findings that await triage, which has fewer filters. */
  isAwaiting?: boolean
}) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const chosenSeverities = severitiesIn(state)
  const ofSeverities = chosenSeverities.length > 0 ? chosenSeverities : severities
  const countedChoices: { [Name in FilterName]?: FilterChoice[] } = isAwaiting
    ? {}
    : {
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
      <SeverityBar statistics={isAwaiting ? 'none' : statistics} state={state} onChange={onChange} />
      <div className={`${styles.links} ${isOpen ? '' : styles.closed}`}>{links}</div>
      <div className={styles.line}>
        <SearchField
          label={texts.searchVulnerabilities}
          placeholder={texts.searchByTitleFile}
          value={state.search ?? ''}
          onSearch={(search) => onChange({ search }, { isReplacing: true })}
        />
        <div className={styles.toggle}>
          <Button icon={SlidersHorizontal} aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
            {texts.filters}
          </Button>
        </div>
        <div id={id} className={`${styles.menus} ${isOpen ? '' : styles.closed}`}>
          {projects}
          {(isAwaiting ? findingMenus : menus).map(({ name, control }) => (
            <FilterMenu
              key={name}
              label={control.label}
              choices={countedChoices[name] ?? choicesOf(control)}
              chosen={name === 'state' ? statesIn(state) : listed(state[name])}
              onToggle={(value) => onChange(toggledIn(name, state, value))}
            />
          ))}
          <MoreFilters
            owner={owner}
            {...(isAwaiting ? { names: moreFindingFilters, controls: findingControls } : { names: moreFilters })}
            state={state}
            onChange={onChange}
          />
        </div>
      </div>
    </div>
  )
}
