import { Popover } from '@base-ui/react/popover'
import { ChevronDown } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button, look } from '../../../components/button.tsx'
import { SelectField, TextField } from '../../../components/field.tsx'
import type { FilterChanges, FilterName, FilterState } from '../../../nouns/vulnerability/filter.ts'
import styles from './filter-menu.module.css'

export interface TextFilter {
  name: FilterName
  label: string
  hint?: string
}

export interface ChoiceFilter {
  name: FilterName
  label: string
  choices: readonly { value: string; label: string }[]
}

/** Popover with less common filters. */
export function MoreFilters({
  texts,
  choices = [],
  state,
  onChange,
}: {
  texts: readonly TextFilter[]
  choices?: readonly ChoiceFilter[]
  state: FilterState
  onChange: (changes: FilterChanges) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const names = [...texts, ...choices].map(({ name }) => name)
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
              {texts.map(({ name, label, hint }) => (
                <TextField key={name} name={name} label={label} hint={hint} defaultValue={state[name] ?? ''} />
              ))}
              {choices.map(({ name, label, choices }) => (
                <SelectField key={name} name={name} label={label} choices={choices} defaultValue={state[name] ?? ''} />
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
