import { stateInWords } from '../../components/badge.tsx'
import { CheckField, type Choice, SelectField, TextField } from '../../components/form/field.tsx'
import type { SavedView } from '../../nouns/vulnerability/saved-view.ts'
import { useSavedViews } from '../../nouns/vulnerability/saved-views.ts'
import { FormGroup } from './form-group.tsx'
import { type Severity, states } from './hook-draft.ts'
import styles from './hook-form.module.css'
import { type Hook, useHookPlace } from './place.ts'
import { ProjectsField } from './projects-field.tsx'
import { texts } from './texts.ts'

const leastSeverities: readonly Choice<Severity | ''>[] = [
  { value: '', label: texts.anySeverity },
  { value: 'critical', label: texts.critical },
  { value: 'high', label: texts.highAndAbove },
  { value: 'medium', label: texts.mediumAndAbove },
  { value: 'low', label: texts.lowAndAbove },
  { value: 'unknown', label: texts.unknownAndAbove },
  { value: 'info', label: texts.infoAndAbove },
]

/** Filters of the events that a webhook receives. */
export function FilterFields({ hook }: { hook: Hook | undefined }) {
  const { noun } = useHookPlace()
  const views = useSavedViews()
  const shared = savedViewChoices(views.data ?? [], hook?.saved_view_id)
  const count = hook ? countFilters(hook) : 0
  return (
    <FormGroup
      title={texts.filters}
      summary={count === 0 ? texts.none : texts.activeCount(count)}
      fields={['min_severity', 'saved_view_id', 'states', 'refs', 'project_ids']}
      isOpen={count > 0}
    >
      <SelectField
        label={texts.severity}
        name="min_severity"
        choices={leastSeverities}
        defaultValue={hook?.min_severity ?? ''}
        hint={texts.lessSevereVulnerabilitiesAreNotSent}
      />
      <SelectField
        label={texts.savedView}
        name="saved_view_id"
        choices={[
          { value: '', label: texts.allVulnerabilities },
          ...shared.map(({ id, name }) => ({ value: `${id}`, label: name })),
        ]}
        key={views.data ? 'loaded' : 'loading'}
        defaultValue={`${hook?.saved_view_id ?? ''}`}
        hint={texts.onlyVulnerabilitiesThatThisShared}
      />
      <fieldset className={styles.choices}>
        <legend>{texts.status}</legend>
        <p className="muted small">{texts.onlyVulnerabilitiesWithThese}</p>
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
        label={texts.branches}
        name="refs"
        defaultValue={hook?.refs.join(', ') ?? ''}
        placeholder={texts.mainRelease}
        hint={texts.onlyVulnerabilitiesAndImports}
      />
      {noun !== 'project' && <ProjectsField chosen={hook?.project_ids ?? []} />}
    </FormGroup>
  )
}

/** Returns the shared views. Until they are loaded, the view of the webhook stands for itself, so that it is kept. */
function savedViewChoices(views: readonly SavedView[], chosen: number | null | undefined) {
  const shared = views.filter((view) => view.shared).map(({ id, name }) => ({ id, name }))
  const isKnown = !chosen || shared.some(({ id }) => id === chosen)
  return isKnown ? shared : [...shared, { id: chosen, name: texts.view(chosen) }]
}

function countFilters({ min_severity: severity, saved_view_id: view, states, refs, project_ids = [] }: Hook): number {
  return [severity !== null, view !== null, states.length > 0, refs.length > 0, project_ids.length > 0].filter(Boolean)
    .length
}
