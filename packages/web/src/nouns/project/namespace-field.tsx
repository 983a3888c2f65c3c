import { FolderTree, User } from 'lucide-react'
import { useState } from 'react'
import suggest from '../../components/suggest.module.css'
import { SuggestField } from '../../components/suggest-field.tsx'
import { useRested } from '../../components/use-rested.ts'
import { type Visibility, visibilityOf } from '../../components/visibility.tsx'
import { usePage } from '../../data/api.ts'
import { type levels, useSession } from '../../data/session.ts'

/** Where a project can be. */
export interface Place {
  /** Undefined: one's own, which needs no naming. */
  id: number | undefined
  kind: 'group' | 'user'
  fullPath: string
  visibility: Visibility
}

/** One's own place and the groups where one has at least this level. */
export function NamespaceField({
  label,
  least,
  value,
  error,
  onChange,
}: {
  label: string
  least: (typeof levels)['developer' | 'maintainer' | 'owner']
  value: Place | undefined
  error?: string | undefined
  onChange: (place: Place | undefined) => void
}) {
  const { user, is_admin: isAdmin } = useSession()
  const [text, setText] = useState(value?.fullPath ?? '')
  // What is chosen stands in the field, but is not what is looked for.
  const wanted = useRested(text === value?.fullPath ? '' : text.trim())
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
      error={error}
      placeholder="Your own place or a group"
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
          ? 'Groups cannot be looked up at the moment.'
          : places.length === 0 && query.isSuccess
            ? 'There is no such place where you may do this.'
            : ''
      }
    >
      {({ kind, fullPath }) => (
        <>
          {kind === 'user' ? <User size={15} aria-hidden="true" /> : <FolderTree size={15} aria-hidden="true" />}
          <span className={suggest.words}>{fullPath}</span>
          {kind === 'user' && <span className="muted small">yours</span>}
        </>
      )}
    </SuggestField>
  )
}

export function placeFrom(group: { id: number; full_path: string; visibility: string }): Place {
  return { id: group.id, kind: 'group', fullPath: group.full_path, visibility: visibilityOf(group.visibility) }
}
