import { Combobox } from '@base-ui/react/combobox'
import { Check, X } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { usePage } from '../../app/api.ts'
import { Avatar } from '../../components/avatar.tsx'
import styles from '../../components/suggest.module.css'
import { useRested } from '../../components/use-rested.ts'

export interface Person {
  id: number
  name: string
  username: string
  avatar_url: string | null
}

/** Users of this server, looked up while one types. */
export function PeopleField({
  label,
  error,
  value,
  onChange,
}: {
  label: string
  error?: string | undefined
  value: readonly Person[]
  onChange: (people: Person[]) => void
}) {
  const id = useId()
  const group = useRef<HTMLDivElement>(null)
  const [text, setText] = useState('')
  const wanted = useRested(text.trim())
  const query = usePage(
    'GET /users',
    { query: { search: wanted, active: true, per_page: 8 } },
    { isEnabled: wanted !== '' },
  )
  const found: Person[] = wanted === '' ? [] : (query.data?.rows ?? [])
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <Combobox.Root
        multiple
        items={found}
        filter={null}
        autoHighlight
        itemToStringLabel={({ name }: Person) => name}
        isItemEqualToValue={(one: Person, other: Person) => one.id === other.id}
        value={[...value]}
        onValueChange={(people: Person[], { reason }) => {
          if (reason === 'escape-key') return // closes, and takes nothing away
          onChange(people)
          setText('')
        }}
        inputValue={text}
        onInputValueChange={setText}
      >
        <Combobox.Chips
          ref={group}
          className={styles.group}
          aria-label={value.length > 0 ? `${label}: chosen` : undefined}
        >
          {value.map((person) => (
            <Combobox.Chip key={person.id} className={styles.chip} aria-label={person.name}>
              {person.name}
              <Combobox.ChipRemove className={styles.remove} aria-label={`Not ${person.name}`}>
                <X size={13} aria-hidden="true" />
              </Combobox.ChipRemove>
            </Combobox.Chip>
          ))}
          <Combobox.Input
            id={id}
            className={styles.input}
            placeholder="Name, username or e-mail address"
            {...(error && { 'aria-describedby': `${id}-note`, 'aria-invalid': true })}
          />
        </Combobox.Chips>
        <Combobox.Portal>
          <Combobox.Positioner className={styles.positioner} anchor={group} sideOffset={4}>
            <Combobox.Popup className={styles.popup}>
              <Combobox.Status className={styles.status}>
                {query.error
                  ? query.error.message
                  : found.length === 0 && wanted !== '' && query.isSuccess
                    ? 'Nobody is called so.'
                    : ''}
              </Combobox.Status>
              <Combobox.List>
                {(person: Person) => (
                  <Combobox.Item key={person.id} value={person} className={styles.item}>
                    <Avatar name={person.name} url={person.avatar_url} />
                    <span className={styles.words}>
                      {person.name} <span className="muted small">@{person.username}</span>
                    </span>
                    <Combobox.ItemIndicator>
                      <Check size={14} aria-hidden="true" />
                    </Combobox.ItemIndicator>
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
      {error && (
        <p id={`${id}-note`} className={styles.error}>
          {error}
        </p>
      )}
    </div>
  )
}
