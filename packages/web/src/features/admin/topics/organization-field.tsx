import { SelectField } from '../../../components/field.tsx'
import { usePage } from '../../../data/api.ts'
import { useSearchState } from '../../../data/search-state.ts'

/** The organization that the address names; the first one, where it names none. */
export function useOrganization(): number {
  const [{ organization }] = useSearchState(['organization'])
  const id = Number(organization)
  return Number.isInteger(id) && id > 0 ? id : 1
}

/** Which organization's topics; nothing where there is only one. */
export function OrganizationField() {
  const [, set] = useSearchState(['organization'])
  const id = useOrganization()
  const { data } = usePage('GET /organizations', { query: { per_page: 100 } })
  if (!data || data.rows.length < 2) return null
  return (
    <div>
      <SelectField
        label="Organization"
        isLabelHidden
        choices={data.rows.map((organization) => ({ value: String(organization.id), label: organization.name }))}
        value={String(id)}
        onChoose={(value) => set({ organization: value === '1' ? undefined : value })}
      />
    </div>
  )
}
