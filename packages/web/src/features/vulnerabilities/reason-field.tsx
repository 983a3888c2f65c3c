import { useEffect, useId, useRef } from 'react'
import { inWords } from '../../components/format.ts'
import { type DismissalReason, dismissalReasons } from './filter.ts'
import styles from './reason-field.module.css'

/** Asks why something is dismissed. No reason is preselected, so that none is given by accident; the keys 1 to 5 choose. */
export function ReasonField() {
  const id = useId()
  const field = useRef<HTMLFieldSetElement>(null)
  useEffect(() => {
    const choose = (event: KeyboardEvent) => {
      const { target, key, ctrlKey, metaKey, altKey } = event
      if (ctrlKey || metaKey || altKey || target instanceof HTMLTextAreaElement) return
      const radio = field.current?.querySelectorAll('input')[Number(key) - 1]
      if (!radio) return
      event.preventDefault()
      radio.checked = true
      radio.focus()
    }
    document.addEventListener('keydown', choose)
    return () => document.removeEventListener('keydown', choose)
  }, [])
  return (
    <fieldset ref={field} className={styles.reasons}>
      <legend className={styles.legend}>Dismissal reason</legend>
      {dismissalReasons.map((reason, index) => (
        <div key={reason} className={styles.reason}>
          <input
            type="radio"
            id={`${id}-${reason}`}
            name="dismissal_reason"
            value={reason}
            required
            aria-keyshortcuts={String(index + 1)}
          />
          <label htmlFor={`${id}-${reason}`}>{inWords(reason)}</label>
          <kbd>{index + 1}</kbd>
        </div>
      ))}
    </fieldset>
  )
}

/** The reason that was chosen in the form. */
export function reasonIn(fields: FormData): DismissalReason | undefined {
  const chosen = fields.get('dismissal_reason')
  return dismissalReasons.find((reason) => reason === chosen)
}
