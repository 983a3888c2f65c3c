import { useId } from 'react'
import { texts } from '../texts.ts'
import { type Visibility, visibilities, visibilityLook } from '../visibility.tsx'
import { useFieldProblem } from './field.tsx'
import { Problem } from './problem.tsx'
import styles from './visibility-field.module.css'

/** Choice of a visibility, which cannot exceed that of the parent group. */
export function VisibilityField({
  value,
  max = 'public',
  within,
  onChange,
}: {
  value: Visibility
  max?: Visibility
  /** The parent group, if it limits the visibility. */
  within?: string | undefined
  onChange: (visibility: Visibility) => void
}) {
  const name = useId()
  const error = useFieldProblem('visibility_level')
  const isOpen = (visibility: Visibility) => visibilities.indexOf(visibility) <= visibilities.indexOf(max)
  return (
    <fieldset className={styles.field}>
      <legend>{texts.visibility}</legend>
      {visibilities.map((visibility) => {
        const { picture: Picture, label, meaning } = visibilityLook(visibility)
        return (
          <label key={visibility} className={styles.choice}>
            <input
              type="radio"
              name={name}
              value={visibility}
              checked={value === visibility}
              disabled={!isOpen(visibility)}
              onChange={() => onChange(visibility)}
            />
            <span>
              <span className={styles.name}>
                <Picture size={15} aria-hidden="true" /> {label}
              </span>
              <span className="muted small">{meaning}</span>
            </span>
          </label>
        )
      })}
      {max !== 'public' && within && <p className="muted small">{texts.cannotExceedTheVisibility(within, max)}</p>}
      {error && <Problem text={error} />}
    </fieldset>
  )
}
