import { SelectField } from '../../../components/form/field.tsx'
import { usePage } from '../../../data/api.ts'
import { useSearchState } from '../../../data/search-state.ts'
import { texts } from './texts.ts'

/** Returns the organization id from the address, 1 by default. */
export function useOrganization(): number {
  const [{ organization }] = useSearchState(['organization'])
  const id = Number(organization)
  return Number.isInteger(id) && id > 0 ? id : 1
}

/** Choice of the organization. Renders nothing if there is only one. */
export function OrganizationField() {
  const [, set] = useSearchState(['organization'])
  const id = useOrganization()
  const { data } = usePage('GET /organizations', { query: { per_page: 100 } })
  if (!data || data.rows.length < 2) return null
  return (
    <div>
      <SelectField
        label={texts.organization}
        isLabelHidden
        choices={data.rows.map((organization) => ({ value: String(organization.id), label: organization.name }))}
        value={String(id)}
        onChoose={(value) => set({ organization: value === '1' ? undefined : value })}
      />
    </div>
  )
}
