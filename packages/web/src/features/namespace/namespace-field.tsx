import { Combobox } from '@base-ui/react/combobox'
import { Check, FolderTree, User } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { usePage } from '../../app/api.ts'
import { type levels, useSession } from '../../app/session.ts'
import styles from '../../components/suggest.module.css'
import { useRested } from '../../components/use-rested.ts'
import { type Visibility, visibilityOf } from '../../components/visibility.tsx'

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
  const id = useId()
  const group = useRef<HTMLDivElement>(null)
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
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <Combobox.Root
        items={places}
        filter={null}
        autoHighlight
        itemToStringLabel={({ fullPath }: Place) => fullPath}
        isItemEqualToValue={(one: Place, other: Place) => one.fullPath === other.fullPath}
        value={value ?? null}
        onValueChange={(place: Place | null, { reason }) => {
          if (reason !== 'escape-key') onChange(place ?? undefined) // that closes, and takes nothing away
        }}
        inputValue={text}
        onInputValueChange={setText}
      >
        <div ref={group} className={styles.group}>
          <Combobox.Input
            id={id}
            className={styles.input}
            placeholder="Your own place or a group"
            {...(error && { 'aria-describedby': `${id}-note`, 'aria-invalid': true })}
          />
        </div>
        <Combobox.Portal>
          <Combobox.Positioner className={styles.positioner} anchor={group} sideOffset={4}>
            <Combobox.Popup className={styles.popup}>
              <Combobox.Status className={styles.status}>
                {places.length === 0 && query.isSuccess ? 'There is no such place where you may do this.' : ''}
              </Combobox.Status>
              <Combobox.List>
                {(place: Place) => (
                  <Combobox.Item key={place.fullPath} value={place} className={styles.item}>
                    {place.kind === 'user' ? (
                      <User size={15} aria-hidden="true" />
                    ) : (
                      <FolderTree size={15} aria-hidden="true" />
                    )}
                    <span className={styles.words}>{place.fullPath}</span>
                    {place.kind === 'user' && <span className="muted small">yours</span>}
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

export function placeFrom(group: { id: number; full_path: string; visibility: string }): Place {
  return { id: group.id, kind: 'group', fullPath: group.full_path, visibility: visibilityOf(group.visibility) }
}
