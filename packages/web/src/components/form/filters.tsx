import { useSearchState } from '../../data/search-state.ts'
import { CheckField, type Choice, SelectField } from './field.tsx'
import { SearchField } from './search-field.tsx'

/** Returns the value of a choice in the address; without a valid one, the first choice. */
export function useChoice<Value extends string>(name: string, choices: readonly Choice<Value>[]): Value {
  const [state] = useSearchState([name])
  return (choices.find(({ value }) => value === state[name]) ?? choices[0])?.value ?? ('' as Value) // no list of choices is empty
}

/** Select field of a filter in the address, which does not contain the first choice. */
export function ChoiceFilter<Value extends string>({
  name,
  label,
  choices,
}: {
  name: string
  label: string
  choices: readonly Choice<Value>[]
}) {
  const [, set] = useSearchState([name])
  return (
    <div>
      <SelectField<Value>
        label={label}
        isLabelHidden
        choices={choices}
        value={useChoice(name, choices)}
        onChoose={(value) => set({ [name]: value === choices[0]?.value ? undefined : value })}
      />
    </div>
  )
}

/** Search field of a filter in the address. */
export function SearchFilter({ name = 'search', ...field }: { name?: string; label: string; placeholder?: string }) {
  const [state, set] = useSearchState([name])
  return (
    <SearchField
      {...field}
      value={state[name] ?? ''}
      onSearch={(text) => set({ [name]: text }, { isReplacing: true })}
    />
  )
}

/** Check box of a filter in the address: `true` or nothing. */
export function CheckFilter({ name, label }: { name: string; label: string }) {
  const [state, set] = useSearchState([name])
  return (
    <CheckField
      label={label}
      checked={state[name] === 'true'}
      onChange={({ target }) => set({ [name]: target.checked ? 'true' : undefined })}
    />
  )
}
