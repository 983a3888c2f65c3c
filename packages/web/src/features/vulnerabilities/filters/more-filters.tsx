import { Popover } from '@base-ui/react/popover'
import { type FormEvent, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { SelectField, TextField } from '../../../components/form/field.tsx'
import { listed } from '../../../nouns/vulnerability/filter-state.ts'
import { type Control, type FilterName, filters, type ListControl } from '../../../nouns/vulnerability/filters.ts'
import type { Owner } from '../../../nouns/vulnerability/owner.ts'
import { TagsField } from '../../../nouns/vulnerability/tags-field.tsx'
import { texts } from '../texts.ts'
import styles from './filter-menu.module.css'
import { choicesOf, type FilterChoice, type MoreFiltersProps, type Trigger } from './filter-props.ts'

/** Popover with less common filters. */
export function MoreFiltersPopover({
  trigger,
  owner,
  names,
  controls = filters,
  state,
  onChange,
}: MoreFiltersProps & { trigger: Trigger }) {
  const [isOpen, setOpen] = useState(false)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    onChange(Object.fromEntries(names.map((name) => [name, String(fields.get(name) ?? '').trim() || undefined])))
    setOpen(false)
  }

  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger {...trigger} />
      <Popover.Portal container={document.getElementById('main')}>
        <Popover.Positioner className="popup-positioner" sideOffset={4} align="start">
          <Popover.Popup className={`popup ${styles.popup}`} aria-label={texts.moreFilters}>
            <form className={styles.form} onSubmit={submit}>
              {names.map((name) => (
                <FilterField key={name} name={name} control={controls[name]} value={state[name] ?? ''} owner={owner} />
              ))}
              <div className={styles.actions}>
                <Button size="small" onClick={() => setOpen(false)}>
                  {texts.cancel}
                </Button>
                <Button size="small" kind="primary" type="submit">
                  {texts.apply}
                </Button>
              </div>
            </form>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function FilterField({
  name,
  control,
  value,
  owner,
}: {
  name: FilterName
  control: Control
  value: string
  owner: Owner | undefined
}) {
  if (owner && control.kind === 'text' && control.suggestsTags) {
    const { label, hint } = control
    return <TagsField name={name} label={label} hint={hint} source={owner} initial={listed(value)} />
  }
  if (control.kind === 'text') {
    const type = control.isDate ? 'date' : 'text'
    return <TextField name={name} type={type} label={control.label} hint={control.hint} defaultValue={value} />
  }
  const choices =
    control.kind === 'list'
      ? [{ value: '', label: texts.any }, ...choicesWith(control, value)]
      : [
          { value: '', label: control.unset },
          ...(['true', 'false'] as const).map((value) => ({ value, label: control[value].choice })),
        ]
  return <SelectField name={name} label={control.label} choices={choices} defaultValue={value} />
}

/** Returns the values of a filter as choices, and several values together if the address has them. */
function choicesWith(control: ListControl<string>, value: string): FilterChoice[] {
  const choices = choicesOf(control)
  if (!value || choices.some((choice) => choice.value === value)) return choices
  return [...choices, { value, label: listed(value).map(control.inWords).join(', ') }]
}
