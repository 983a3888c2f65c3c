import { useState } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import suggest from '../../components/form/suggest.module.css'
import { SuggestManyField } from '../../components/form/suggest-field.tsx'
import { useDebounced } from '../../components/form/use-debounced.ts'
import { usePage } from '../../data/api.ts'
import { texts } from './texts.ts'

export interface Person {
  id: number
  name: string
  username: string
  avatar_url: string | null
}

/** Finds users of this server by a part of their name, username or e-mail address. */
export function useFoundPeople(text: string): { found: readonly Person[]; hasNoMatch: boolean; error: Error | null } {
  const wanted = useDebounced(text.trim())
  const query = usePage(
    'GET /users',
    { query: { search: wanted, active: true, per_page: 8 } },
    { isEnabled: wanted !== '' },
  )
  const found: Person[] = wanted === '' ? [] : (query.data?.rows ?? [])
  return { found, hasNoMatch: found.length === 0 && wanted !== '' && query.isSuccess, error: query.error }
}

/** Combobox that finds users of this server. */
export function PeopleField({
  label,
  value,
  onChange,
}: {
  label: string
  value: readonly Person[]
  onChange: (people: Person[]) => void
}) {
  const [text, setText] = useState('')
  const { found, hasNoMatch, error } = useFoundPeople(text)
  return (
    <SuggestManyField<Person>
      label={label}
      placeholder={texts.nameUsernameOrE}
      items={found}
      keyOf={({ username }) => username}
      nameOf={({ name }) => name}
      removalOf={({ name }) => texts.removeName(name)}
      value={value}
      onChange={onChange}
      text={text}
      onText={setText}
      takesFirst
      status={error ? error.message : hasNoMatch ? texts.noMatchingUsers : ''}
    >
      {(person) => <PersonSuggestion person={person} />}
    </SuggestManyField>
  )
}

export function PersonSuggestion({ person: { name, username, avatar_url: url } }: { person: Person }) {
  return (
    <>
      <Avatar name={name} url={url} />
      <span className={suggest.words}>
        {name} <span className="muted small">@{username}</span>
      </span>
    </>
  )
}
