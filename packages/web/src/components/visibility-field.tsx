import { useId } from 'react'
import { Problem } from './problem.tsx'
import { type Visibility, visibilities, visibilityLook } from './visibility.tsx'
import styles from './visibility-field.module.css'

/** Who may see a project or group; nothing is wider than what it is in. */
export function VisibilityField({
  value,
  most = 'public',
  within,
  error,
  onChange,
}: {
  value: Visibility
  most?: Visibility
  /** What it is in, when that limits it. */
  within?: string | undefined
  error?: string | undefined
  onChange: (visibility: Visibility) => void
}) {
  const name = useId()
  const isOpen = (visibility: Visibility) => visibilities.indexOf(visibility) <= visibilities.indexOf(most)
  return (
    <fieldset className={styles.field}>
      <legend>Visibility</legend>
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
      {most !== 'public' && within && (
        <p className="muted small">
          Not wider than {within}, which is {most}.
        </p>
      )}
      {error && <Problem text={error} />}
    </fieldset>
  )
}
