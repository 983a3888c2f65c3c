import { Popover } from '@base-ui/react/popover'
import { ChevronDown } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button, look } from '../../../components/button.tsx'
import { SelectField, TextField } from '../../../components/form/field.tsx'
import type { FilterChanges, FilterState } from '../../../nouns/vulnerability/filter-state.ts'
import { type Control, type FilterName, filters } from '../../../nouns/vulnerability/filters.ts'
import styles from './filter-menu.module.css'

/** Popover with less common filters. */
export function MoreFilters({
  names,
  controls = filters,
  state,
  onChange,
}: {
  names: readonly FilterName[]
  /** Labels and hints, where they differ from those of `filters`. */
  controls?: { [Name in FilterName]: Control }
  state: FilterState
  onChange: (changes: FilterChanges) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const given = names.filter((name) => state[name]).length

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    onChange(Object.fromEntries(names.map((name) => [name, String(fields.get(name) ?? '').trim() || undefined])))
    setOpen(false)
  }

  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className={look({})}>
        More filters
        {given > 0 && <span className={styles.chosen}>{given}</span>}
        <ChevronDown size={16} aria-hidden="true" />
      </Popover.Trigger>
      <Popover.Portal container={document.getElementById('main')}>
        <Popover.Positioner className={styles.positioner} sideOffset={4} align="start">
          <Popover.Popup className={styles.popup} aria-label="More filters">
            <form className={styles.form} onSubmit={submit}>
              {names.map((name) => (
                <FilterField key={name} name={name} control={controls[name]} value={state[name] ?? ''} />
              ))}
              <div className={styles.actions}>
                <Button size="small" onClick={() => setOpen(false)}>
                  Cancel
                </Button>
                <Button size="small" kind="primary" type="submit">
                  Apply
                </Button>
              </div>
            </form>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function FilterField({ name, control, value }: { name: FilterName; control: Control; value: string }) {
  if (control.kind !== 'flag') {
    const hint = control.kind === 'text' ? control.hint : undefined
    return <TextField name={name} label={control.label} hint={hint} defaultValue={value} />
  }
  const choices = [
    { value: '', label: control.unset },
    ...(['true', 'false'] as const).map((value) => ({ value, label: control[value].choice })),
  ]
  return <SelectField name={name} label={control.label} choices={choices} defaultValue={value} />
}
