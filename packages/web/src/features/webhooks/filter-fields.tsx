import { stateInWords } from '../../components/badge.tsx'
import { CheckField, type Choice, SelectField, TextField } from '../../components/form/field.tsx'
import type { SavedView } from '../../nouns/vulnerability/saved-view.ts'
import { useSavedViews } from '../../nouns/vulnerability/saved-views.ts'
import { FormGroup } from './form-group.tsx'
import { type Severity, states } from './hook-draft.ts'
import styles from './hook-form.module.css'
import { type Hook, useHookPlace } from './place.ts'
import { ProjectsField } from './projects-field.tsx'

const leastSeverities: readonly Choice<Severity | ''>[] = [
  { value: '', label: 'Any severity' },
  { value: 'critical', label: 'Critical' },
  { value: 'high', label: 'High and above' },
  { value: 'medium', label: 'Medium and above' },
  { value: 'low', label: 'Low and above' },
  { value: 'unknown', label: 'Unknown and above' },
  { value: 'info', label: 'Info and above' },
]

/** Filters of the events that a webhook receives. */
export function FilterFields({ hook }: { hook: Hook | undefined }) {
  const { noun } = useHookPlace()
  const views = useSavedViews()
  const shared = savedViewChoices(views.data ?? [], hook?.saved_view_id)
  const count = hook ? countFilters(hook) : 0
  return (
    <FormGroup
      title="Filters"
      summary={count === 0 ? 'None' : `${count} active`}
      fields={['min_severity', 'saved_view_id', 'states', 'refs', 'project_ids']}
      isOpen={count > 0}
    >
      <SelectField
        label="Severity"
        name="min_severity"
        choices={leastSeverities}
        defaultValue={hook?.min_severity ?? ''}
        hint="Less severe vulnerabilities are not sent."
      />
      <SelectField
        label="Saved view"
        name="saved_view_id"
        choices={[
          { value: '', label: 'All vulnerabilities' },
          ...shared.map(({ id, name }) => ({ value: `${id}`, label: name })),
        ]}
        key={views.data ? 'loaded' : 'loading'}
        defaultValue={`${hook?.saved_view_id ?? ''}`}
        hint="Only vulnerabilities that this shared view of the list contains are sent."
      />
      <fieldset className={styles.choices}>
        <legend>Status</legend>
        <p className="muted small">Only vulnerabilities with these statuses are sent. None selected: all.</p>
        {states.map((state) => (
          <CheckField
            key={state}
            label={stateInWords(state)}
            name={`states ${state}`}
            defaultChecked={hook?.states.includes(state) ?? false}
          />
        ))}
      </fieldset>
      <TextField
        label="Branches"
        name="refs"
        defaultValue={hook?.refs.join(', ') ?? ''}
        placeholder="main, release/*"
        hint="Only vulnerabilities and imports of these branches are sent. Separate names with commas; * stands for any characters. Empty: all."
      />
      {noun !== 'project' && <ProjectsField chosen={hook?.project_ids ?? []} />}
    </FormGroup>
  )
}

/** Returns the shared views. Until they are loaded, the view of the webhook stands for itself, so that it is kept. */
function savedViewChoices(views: readonly SavedView[], chosen: number | null | undefined) {
  const shared = views.filter((view) => view.shared).map(({ id, name }) => ({ id, name }))
  const isKnown = !chosen || shared.some(({ id }) => id === chosen)
  return isKnown ? shared : [...shared, { id: chosen, name: `View ${chosen}` }]
}

function countFilters({ min_severity: severity, saved_view_id: view, states, refs, project_ids = [] }: Hook): number {
  return [severity !== null, view !== null, states.length > 0, refs.length > 0, project_ids.length > 0].filter(Boolean)
    .length
}
