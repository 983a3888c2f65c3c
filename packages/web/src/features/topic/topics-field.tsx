import { Combobox } from '@base-ui/react/combobox'
import { Check, Plus, X } from 'lucide-react'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { usePage } from '../../app/api.ts'
import { formatCount } from '../../components/format.ts'
import styles from '../../components/suggest.module.css'
import { useRested } from '../../components/use-rested.ts'

const mostSuggested = 8

/**
 * Names of topics, with suggestions while one types. Enter takes what was typed; the arrows go through the suggestions.
 * Where nobody may make new topics, only suggestions are taken.
 */
export function TopicsField({
  label,
  hint,
  error,
  value,
  onChange,
  mayCreate,
  isLabelHidden = false,
  isFocused = false,
  placeholder = 'Add a topic',
}: {
  label: string
  hint?: string
  error?: string | undefined
  value: readonly string[]
  onChange: (names: string[]) => void
  mayCreate: boolean
  isLabelHidden?: boolean
  /** True: the typing can begin as soon as it is there. */
  isFocused?: boolean
  placeholder?: string
}) {
  const id = useId()
  const [text, setText] = useState('')
  const wanted = useRested(text.trim())
  const query = usePage('GET /topics', { query: { search: wanted || undefined, per_page: mostSuggested } })
  const typed = text.trim()
  const isLate = query.isPlaceholderData || wanted !== typed
  // Until the answer to what is typed is here, what is left of the one before.
  const topics = (query.data?.rows ?? []).filter((topic) => !isLate || isLike(topic, typed))
  const group = useRef<HTMLDivElement>(null)
  const isKnown = topics.some(({ name }) => isSame(name, typed)) || value.some((name) => isSame(name, typed))
  const isNew = mayCreate && typed !== '' && !isKnown && query.isSuccess && !isLate
  const items = [...topics.map(({ name }) => name), ...(isNew ? [typed] : [])]

  function add(names: readonly string[]) {
    const fresh = names.map((name) => name.trim()).filter((name) => name !== '')
    onChange([...value, ...fresh.filter((name) => !value.some((given) => isSame(given, name)))])
    setText('')
  }

  /** Enter without a suggestion in focus, or a comma, takes the text; an existing topic in the way it is written. */
  function take(event: KeyboardEvent<HTMLInputElement>) {
    if (event.key !== 'Enter' && event.key !== ',') return
    if (event.key === 'Enter' && event.currentTarget.getAttribute('aria-activedescendant')) return
    if (typed === '') {
      if (event.key === ',') event.preventDefault()
      return
    }
    event.preventDefault()
    const existing = topics.find(({ name, title }) => isSame(name, typed) || isSame(title, typed))
    if (existing || mayCreate) add(existing ? [existing.name] : typed.split(','))
  }

  const note = error ?? hint
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      <Combobox.Root
        multiple
        items={items}
        filter={null}
        value={[...value]}
        onValueChange={(names: string[], { reason }) => {
          // Escape closes the suggestions; pressed once more it is not meant to take away what was chosen.
          if (reason === 'escape-key') return
          onChange(names)
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
          {value.map((name) => (
            <Combobox.Chip key={name} className={styles.chip} aria-label={name}>
              {name}
              <Combobox.ChipRemove className={styles.remove} aria-label={`Remove ${name}`}>
                <X size={13} aria-hidden="true" />
              </Combobox.ChipRemove>
            </Combobox.Chip>
          ))}
          <Combobox.Input
            id={id}
            className={styles.input}
            placeholder={placeholder}
            onKeyDown={take}
            autoFocus={isFocused}
            {...(note && { 'aria-describedby': `${id}-note` })}
            {...(error && { 'aria-invalid': true })}
          />
        </Combobox.Chips>
        <Combobox.Portal>
          <Combobox.Positioner className={styles.positioner} anchor={group} sideOffset={4}>
            <Combobox.Popup className={styles.popup}>
              <Combobox.Status className={styles.status}>
                {query.error
                  ? 'Topics cannot be looked up at the moment.'
                  : items.length === 0 && query.isSuccess && !isLate
                    ? 'There is no such topic.'
                    : ''}
              </Combobox.Status>
              <Combobox.List>
                {(name: string) => {
                  const topic = topics.find((known) => known.name === name)
                  return (
                    <Combobox.Item key={name} value={name} className={styles.item}>
                      {!topic && <Plus size={14} aria-hidden="true" />}
                      <span className={styles.words}>
                        {topic ? name : `New topic “${name}”`}
                        {topic && topic.title !== name && <span className="muted small"> {topic.title}</span>}
                      </span>
                      {topic && (
                        <span className="muted small numbers">
                          {formatCount(topic.total_projects_count)}
                          <span className="visually-hidden"> projects</span>
                        </span>
                      )}
                      <Combobox.ItemIndicator>
                        <Check size={14} aria-hidden="true" />
                      </Combobox.ItemIndicator>
                    </Combobox.Item>
                  )
                }}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
      {note && (
        <p id={`${id}-note`} className={error ? styles.error : styles.hint}>
          {note}
        </p>
      )}
    </div>
  )
}

function isLike({ name, title }: { name: string; title: string }, text: string): boolean {
  return `${name} ${title}`.toLowerCase().includes(text.toLowerCase())
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
