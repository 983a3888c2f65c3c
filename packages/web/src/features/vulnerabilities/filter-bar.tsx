import type { Schemas } from '@alcove/client'
import { SelectField } from '../../components/field.tsx'
import { inWords, reportTypeInWords } from '../../components/format.ts'
import { SearchField } from '../../components/search-field.tsx'
import { dismissalReasons, type FilterChanges, type FilterState, listed, toggled } from './filter.ts'
import { FilterMenu } from './filter-menu.tsx'
import { type ChoiceFilter, MoreFilters, type TextFilter } from './more-filters.tsx'
import { type Sort, sorts } from './owner.ts'

const reasons = dismissalReasons.map((value) => ({ value, label: inWords(value) }))
const texts: readonly TextFilter[] = [
  { name: 'identifier', label: 'Identifier', hint: 'Whole, such as CVE-2021-44228' },
  { name: 'ref', label: 'Branch or tag', hint: 'Only what is there' },
]
const choices: readonly ChoiceFilter[] = [
  {
    name: 'has_resolution',
    label: 'On the default branch',
    choices: [
      { value: '', label: 'Does not matter' },
      { value: 'false', label: 'Still found' },
      { value: 'true', label: 'No longer found' },
    ],
  },
  {
    name: 'present_on_default_branch',
    label: 'Known to the default branch',
    choices: [
      { value: '', label: 'As usual' },
      { value: 'true', label: 'At some time' },
      { value: 'false', label: 'Never' },
    ],
  },
]

/** What is not in the overview: words, and where a vulnerability comes from. */
export function FilterBar({
  state,
  onChange,
  sort,
  onSort,
  summary,
}: {
  state: FilterState
  onChange: (changes: FilterChanges, options?: { isReplacing?: boolean }) => void
  sort: Sort
  onSort: (sort: Sort) => void
  summary: Schemas['VulnerabilitySummary'] | undefined
}) {
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
    <div className="row-wrap">
      <SearchField
        label="Search vulnerabilities"
        placeholder="Title, place or identifier"
        value={state.search ?? ''}
        onSearch={(search) => onChange({ search }, { isReplacing: true })}
      />
      <FilterMenu
        label="Type"
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
        label="Dismissed as"
        choices={reasons}
        chosen={listed(state.dismissal_reason)}
        onToggle={(value) => onChange({ dismissal_reason: toggled(state.dismissal_reason, value) })}
      />
      <MoreFilters texts={texts} choices={choices} state={state} onChange={onChange} />
      <div className="push">
        <SelectField<Sort> label="Order" isLabelHidden choices={sorts} value={sort} onChoose={onSort} />
      </div>
    </div>
  )
}
