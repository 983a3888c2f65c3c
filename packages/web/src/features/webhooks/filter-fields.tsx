import { stateInWords } from '../../components/badge.tsx'
import { CheckField, type Choice, SelectField, TextField } from '../../components/form/field.tsx'
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
  const count = hook ? countFilters(hook) : 0
  return (
    <FormGroup
      title="Filters"
      summary={count === 0 ? 'None' : `${count} active`}
      fields={['min_severity', 'states', 'refs', 'project_ids']}
      isOpen={count > 0}
    >
      <SelectField
        label="Severity"
        name="min_severity"
        choices={leastSeverities}
        defaultValue={hook?.min_severity ?? ''}
        hint="Less severe vulnerabilities are not sent."
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

function countFilters({ min_severity: severity, states, refs, project_ids: projects = [] }: Hook): number {
  return [severity !== null, states.length > 0, refs.length > 0, projects.length > 0].filter(Boolean).length
}
