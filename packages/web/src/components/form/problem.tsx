import { RequestFailed } from '@alcove/client'
import styles from './field.module.css'

/** Error of a whole form. Screen readers announce it. */
export function Problem({ text }: { text: string }) {
  return (
    <p role="alert" className={styles.error}>
      {text}
    </p>
  )
}

/**
 * Splits an error into messages by field name and, if none of the shown fields has one, a message for the whole form.
 */
export function problemsOf(error: Error | null, shown: readonly string[]): { fields: Fields; rest: string } {
  const fields = error instanceof RequestFailed ? error.fields : {}
  const isShown = Object.keys(fields).some((name) => shown.includes(name))
  const known = Object.fromEntries(Object.entries(fields).map(([name, problem]) => [name, sentenceFrom(problem)]))
  return { fields: known, rest: error && !isShown ? error.message : '' }
}

type Fields = Readonly<Record<string, string | undefined>>

/** Turns `is too long` into a sentence. It is shown below its field, so it needs no field name. */
function sentenceFrom(problem: string): string {
  const text = problem.charAt(0).toUpperCase() + problem.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}
