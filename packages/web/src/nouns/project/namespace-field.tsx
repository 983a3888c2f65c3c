import { FolderTree, User } from 'lucide-react'
import { useState } from 'react'
import suggest from '../../components/form/suggest.module.css'
import { SuggestField } from '../../components/form/suggest-field.tsx'
import { useDebounced } from '../../components/form/use-debounced.ts'
import { type Visibility, visibilityOf } from '../../components/visibility.tsx'
import { usePage } from '../../data/api.ts'
import { type levels, useSession } from '../../data/session.ts'
import { texts } from './texts.ts'

/** Namespace of a project. */
export interface Place {
  /** Undefined for the user's personal namespace. */
  id: number | undefined
  kind: 'group' | 'user'
  fullPath: string
  visibility: Visibility
}

/** Combobox of the user's namespace and the groups where they have at least the access level `least`. */
export function NamespaceField({
  label,
  least,
  value,
  name,
  error,
  onChange,
}: {
  label: string
  least: (typeof levels)['developer' | 'maintainer' | 'owner']
  value: Place | undefined
  /** Name under which the server reports problems. */
  name?: string | undefined
  error?: string | undefined
  onChange: (place: Place | undefined) => void
}) {
  const { user, is_admin: isAdmin } = useSession()
  const [text, setText] = useState(value?.fullPath ?? '')
  // The name of the selected namespace in the field is not a search.
  const wanted = useDebounced(text === value?.fullPath ? '' : text.trim())
  const query = usePage('GET /groups', {
    query: {
      search: wanted || undefined,
      per_page: 20,
      order_by: 'path',
      ...(!isAdmin && { min_access_level: least }),
    },
  })
  const own: Place = { id: undefined, kind: 'user', fullPath: user?.username ?? '', visibility: 'public' }
  const places: Place[] = [
    ...(user && own.fullPath.toLowerCase().includes(wanted.toLowerCase()) ? [own] : []),
    ...(query.data?.rows ?? []).map(placeFrom),
  ]
  return (
    <SuggestField<Place>
      label={label}
      name={name}
      error={error}
      placeholder={texts.personalNamespaceOrGroup}
      items={places}
      keyOf={({ fullPath }) => fullPath}
      nameOf={({ fullPath }) => fullPath}
      value={value}
      onChange={onChange}
      text={text}
      onText={setText}
      takesFirst
      status={
        query.error
          ? texts.groupsCouldNotBeLoaded
          : places.length === 0 && query.isSuccess
            ? texts.noMatchingNamespaceThatYou
            : ''
      }
    >
      {({ kind, fullPath }) => (
        <>
          {kind === 'user' ? <User size={15} aria-hidden="true" /> : <FolderTree size={15} aria-hidden="true" />}
          <span className={suggest.words}>{fullPath}</span>
          {kind === 'user' && <span className="muted small">{texts.yours}</span>}
        </>
      )}
    </SuggestField>
  )
}

export function placeFrom(group: { id: number; full_path: string; visibility: string }): Place {
  return { id: group.id, kind: 'group', fullPath: group.full_path, visibility: visibilityOf(group.visibility) }
}
