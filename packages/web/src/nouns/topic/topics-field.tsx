import { Plus } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import suggest from '../../components/form/suggest.module.css'
import { SuggestManyField } from '../../components/form/suggest-field.tsx'
import { useDebounced } from '../../components/form/use-debounced.ts'
import { formatCount } from '../../components/format.ts'
import { usePage } from '../../data/api.ts'
import { texts } from './texts.ts'

const maxSuggested = 8

/**
 * Combobox for topic names. Enter adds the typed name; the arrow keys move through the suggestions. Without
 * `mayCreate` only
 * existing topics are accepted.
 */
export function TopicsField({
  label,
  hint,
  name,
  error,
  value,
  onChange,
  mayCreate,
  isLabelHidden = false,
  isFocused = false,
  placeholder = texts.addATopic,
}: {
  label: string
  hint?: string
  /** Name under which the server reports problems. */
  name?: string | undefined
  error?: string | undefined
  value: readonly string[]
  onChange: (names: string[]) => void
  mayCreate: boolean
  isLabelHidden?: boolean
  /** True: the field gets the focus when it is mounted. */
  isFocused?: boolean
  placeholder?: string
}) {
  const [text, setText] = useState('')
  const wanted = useDebounced(text.trim())
  const query = usePage('GET /topics', { query: { search: wanted || undefined, per_page: maxSuggested } })
  const typed = text.trim()
  const isLate = query.isPlaceholderData || wanted !== typed
  // While the suggestions for the typed text load, the previous ones are filtered locally.
  const topics = (query.data?.rows ?? []).filter((topic) => !isLate || isLike(topic, typed))
  const isKnown = topics.some(({ name }) => isSame(name, typed)) || value.some((name) => isSame(name, typed))
  const isNew = mayCreate && typed !== '' && !isKnown && query.isSuccess && !isLate
  const items = [...topics.map(({ name }) => name), ...(isNew ? [typed] : [])]

  function add(names: readonly string[]) {
    const fresh = names.map((name) => name.trim()).filter((name) => name !== '')
    onChange([...value, ...fresh.filter((name) => !value.some((given) => isSame(given, name)))])
    setText('')
  }

  /** Adds the typed text on Enter (if no suggestion is highlighted) or comma, in the spelling of an existing topic. */
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

  return (
    <SuggestManyField<string>
      label={label}
      hint={hint}
      name={name}
      error={error}
      isLabelHidden={isLabelHidden}
      isFocused={isFocused}
      placeholder={placeholder}
      items={items}
      keyOf={(name) => name}
      nameOf={(name) => name}
      removalOf={(name) => texts.remove(name)}
      value={value}
      onChange={onChange}
      text={text}
      onText={setText}
      onKeyDown={take}
      status={
        query.error
          ? texts.topicsCouldNotBeLoaded
          : items.length === 0 && query.isSuccess && !isLate
            ? texts.noMatchingTopics
            : ''
      }
    >
      {(name) => {
        const topic = topics.find((known) => known.name === name)
        return (
          <>
            {!topic && <Plus size={14} aria-hidden="true" />}
            <span className={suggest.words}>
              {topic ? name : texts.createTopic(name)}
              {topic && topic.title !== name && <span className="muted small"> {topic.title}</span>}
            </span>
            {topic && (
              <span className="muted small numbers">
                {formatCount(topic.total_projects_count)}
                <span className="visually-hidden"> {texts.projects}</span>
              </span>
            )}
          </>
        )
      }}
    </SuggestManyField>
  )
}

function isLike({ name, title }: { name: string; title: string }, text: string): boolean {
  return `${name} ${title}`.toLowerCase().includes(text.toLowerCase())
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
