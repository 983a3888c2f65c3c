import { type Choice, SelectField } from '../../components/form/field.tsx'
import { SearchField } from '../../components/form/search-field.tsx'
import { usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { operationsOf, type UploadOwner } from './owner.ts'
import styles from './upload-filters.module.css'

const types = [
  { value: '', label: 'Any type' },
  { value: 'image/*', label: 'Images' },
  { value: 'video/*', label: 'Videos' },
  { value: 'audio/*', label: 'Audio' },
  { value: 'application/pdf', label: 'PDF' },
  { value: 'text/*', label: 'Text' },
  { value: 'application/*', label: 'Documents and archives' },
] as const

const orders = {
  newest: { label: 'Newest first', by: 'created_at', sort: 'desc' },
  oldest: { label: 'Oldest first', by: 'created_at', sort: 'asc' },
  largest: { label: 'Largest first', by: 'size', sort: 'desc' },
  smallest: { label: 'Smallest first', by: 'size', sort: 'asc' },
  name: { label: 'Name', by: 'filename', sort: 'asc' },
} as const
type Order = keyof typeof orders

const names = ['search', 'type', 'by', 'order'] as const

/** Returns the filter from the address as API parameters. */
export function useUploadFilter() {
  const [{ search, type, by, order }] = useSearchState(names)
  const wanted = orders[isOrder(order) ? order : 'newest']
  const uploader = Number(by)
  return {
    search,
    content_type: type,
    uploaded_by: Number.isSafeInteger(uploader) && uploader > 0 ? uploader : undefined,
    order_by: wanted.by,
    sort: wanted.sort,
  }
}

function isOrder(text: string | undefined): text is Order {
  return text !== undefined && Object.hasOwn(orders, text)
}

/** Filters of the upload list. `known` contains the uploaders of the shown files, who may no longer be members. */
export function UploadFilters({
  owner,
  known,
}: {
  owner: UploadOwner
  known: readonly { id: number; name: string }[]
}) {
  const [{ search = '', type = '', by = '', order }, set] = useSearchState(names)
  const members = usePage(operationsOf(owner).members, { path: { id: owner.id }, query: { per_page: 100 } })
  const people = new Map(known.map(({ id, name }) => [String(id), name]))
  for (const { id, name } of members.data?.rows ?? []) if (id !== undefined) people.set(String(id), name ?? '')
  if (by && !people.has(by)) people.set(by, `User ${by}`)
  const uploaders: Choice[] = [...people]
    .map(([value, label]) => ({ value, label }))
    .sort((a, b) => a.label.localeCompare(b.label))
  const shownTypes: Choice[] = types.some(({ value }) => value === type)
    ? [...types]
    : [...types, { value: type, label: type }]
  return (
    <search className={styles.filters}>
      <SearchField
        label="Search by name"
        value={search}
        onSearch={(search) => set({ search }, { isReplacing: true })}
      />
      <div>
        <SelectField label="Type" isLabelHidden choices={shownTypes} value={type} onChoose={(type) => set({ type })} />
      </div>
      <div>
        <SelectField
          label="Uploaded by"
          isLabelHidden
          choices={[{ value: '', label: 'Any uploader' }, ...uploaders]}
          value={by}
          onChoose={(by) => set({ by })}
        />
      </div>
      <div className={styles.order}>
        <SelectField<Order>
          label="Sort by"
          isLabelHidden
          choices={Object.entries(orders).map(([value, { label }]) => ({ value: value as Order, label }))} // the keys of `orders`
          value={isOrder(order) ? order : 'newest'}
          onChoose={(chosen) => set({ order: chosen === 'newest' ? undefined : chosen })}
        />
      </div>
    </search>
  )
}
