import type { Choice } from '../../components/form/field.tsx'
import { ChoiceFilter, SearchFilter, useChoice } from '../../components/form/filters.tsx'
import { usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { operationsOf, type UploadOwner } from './owner.ts'
import { texts } from './texts.ts'
import styles from './upload-filters.module.css'

const types = [
  { value: '', label: texts.anyType },
  { value: 'image/*', label: texts.images },
  { value: 'video/*', label: texts.videos },
  { value: 'audio/*', label: texts.audio },
  { value: 'application/pdf', label: texts.pdf },
  { value: 'text/*', label: texts.text },
  { value: 'application/*', label: texts.documentsAndArchives },
] as const

const orders = [
  { value: 'newest', label: texts.newestFirst, by: 'created_at', sort: 'desc' },
  { value: 'oldest', label: texts.oldestFirst, by: 'created_at', sort: 'asc' },
  { value: 'largest', label: texts.largestFirst, by: 'size', sort: 'desc' },
  { value: 'smallest', label: texts.smallestFirst, by: 'size', sort: 'asc' },
  { value: 'name', label: texts.name, by: 'filename', sort: 'asc' },
] as const

/** Returns the filter from the address as API parameters. */
export function useUploadFilter() {
  const [{ search, type, by }] = useSearchState(['search', 'type', 'by'])
  const order = useChoice('order', orders)
  const wanted = orders.find(({ value }) => value === order)
  const uploader = Number(by)
  return {
    search,
    content_type: type,
    uploaded_by: Number.isSafeInteger(uploader) && uploader > 0 ? uploader : undefined,
    order_by: wanted?.by,
    sort: wanted?.sort,
  }
}

/** Filters of the upload list. `known` contains the uploaders of the shown files, who may no longer be members. */
export function UploadFilters({
  owner,
  known,
}: {
  owner: UploadOwner
  known: readonly { id: number; name: string }[]
}) {
  const [{ type = '', by = '' }] = useSearchState(['type', 'by'])
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
      <SearchFilter label={texts.searchByName} />
      <ChoiceFilter name="type" label={texts.type} choices={shownTypes} />
      <ChoiceFilter
        name="by"
        label={texts.uploadedBy}
        choices={[{ value: '', label: texts.anyUploader }, ...uploaders]}
      />
      <div className={styles.order}>
        <ChoiceFilter name="order" label={texts.sortBy} choices={orders} />
      </div>
    </search>
  )
}
