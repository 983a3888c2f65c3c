import { Plus } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { formatCount } from '../../components/format.ts'
import suggest from '../../components/suggest.module.css'
import { SuggestManyField } from '../../components/suggest-field.tsx'
import { useRested } from '../../components/use-rested.ts'
import { usePage } from '../../data/api.ts'

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
  const [text, setText] = useState('')
  const wanted = useRested(text.trim())
  const query = usePage('GET /topics', { query: { search: wanted || undefined, per_page: mostSuggested } })
  const typed = text.trim()
  const isLate = query.isPlaceholderData || wanted !== typed
  // Until the answer to what is typed is here, what is left of the one before.
  const topics = (query.data?.rows ?? []).filter((topic) => !isLate || isLike(topic, typed))
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

  return (
    <SuggestManyField<string>
      label={label}
      hint={hint}
      error={error}
      isLabelHidden={isLabelHidden}
      isFocused={isFocused}
      placeholder={placeholder}
      items={items}
      keyOf={(name) => name}
      nameOf={(name) => name}
      removalOf={(name) => `Remove ${name}`}
      value={value}
      onChange={onChange}
      text={text}
      onText={setText}
      onKeyDown={take}
      status={
        query.error
          ? 'Topics cannot be looked up at the moment.'
          : items.length === 0 && query.isSuccess && !isLate
            ? 'There is no such topic.'
            : ''
      }
    >
      {(name) => {
        const topic = topics.find((known) => known.name === name)
        return (
          <>
            {!topic && <Plus size={14} aria-hidden="true" />}
            <span className={suggest.words}>
              {topic ? name : `New topic “${name}”`}
              {topic && topic.title !== name && <span className="muted small"> {topic.title}</span>}
            </span>
            {topic && (
              <span className="muted small numbers">
                {formatCount(topic.total_projects_count)}
                <span className="visually-hidden"> projects</span>
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
