import { Popover } from '@base-ui/react/popover'
import { ChevronDown } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button, look } from '../../components/button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import type { FilterChanges, FilterName, FilterState } from './filter.ts'
import styles from './filter-menu.module.css'

export interface TextFilter {
  name: FilterName
  label: string
  hint?: string
}

const resolutions = [
  { value: '', label: 'Does not matter' },
  { value: 'false', label: 'Still found' },
  { value: 'true', label: 'No longer found' },
] as const

/** What is asked for less often. */
export function MoreFilters({
  texts,
  hasResolution,
  state,
  onChange,
}: {
  texts: readonly TextFilter[]
  hasResolution: boolean
  state: FilterState
  onChange: (changes: FilterChanges) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const names = [...texts.map(({ name }) => name), ...(hasResolution ? (['has_resolution'] as const) : [])]
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
              {hasResolution && (
                <SelectField
                  name="has_resolution"
                  label="On the default branch"
                  choices={resolutions}
                  defaultValue={state.has_resolution ?? ''}
                />
              )}
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
