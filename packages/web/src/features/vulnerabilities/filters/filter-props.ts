import type { ComponentProps } from 'react'
import type { FilterChanges, FilterState } from '../../../nouns/vulnerability/filter-state.ts'
import type { Control, FilterName, ListControl } from '../../../nouns/vulnerability/filters.ts'
import type { Owner } from '../../../nouns/vulnerability/owner.ts'

export interface FilterChoice {
  value: string
  label: string
  count?: number | undefined
}

/** Returns the values of a filter as choices. */
export function choicesOf({ values = [], inWords }: ListControl<string>): FilterChoice[] {
  return values.map((value) => ({ value, label: inWords(value) }))
}

export interface ChoicesProps {
  choices: readonly FilterChoice[]
  chosen: readonly string[]
  onToggle: (value: string) => void
}

/** Props of the button that opens a menu. */
export type Trigger = Pick<ComponentProps<'button'>, 'className' | 'children'> & {
  ref: { current: HTMLButtonElement | null }
}

export interface MoreFiltersProps {
  /** The list, whose tags are suggested. */
  owner?: Owner
  names: readonly FilterName[]
  /** Labels and hints, where they differ from those of `filters`. */
  controls?: { [Name in FilterName]: Control }
  state: FilterState
  onChange: (changes: FilterChanges) => void
}
