import { RequestFailed } from '@alcove/client'
import styles from './field.module.css'

/** What went wrong with a whole form; read out when it appears. */
export function Problem({ text }: { text: string }) {
  return (
    <p role="alert" className={styles.error}>
      {text}
    </p>
  )
}

/** What is wrong with the fields of a form, by their names, and what is wrong beside that. */
export function problemsOf(error: Error | null, shown: readonly string[]): { fields: Fields; rest: string } {
  const fields = error instanceof RequestFailed ? error.fields : {}
  const isShown = Object.keys(fields).some((name) => shown.includes(name))
  const known = Object.fromEntries(Object.entries(fields).map(([name, problem]) => [name, sentenceFrom(problem)]))
  return { fields: known, rest: error && !isShown ? error.message : '' }
}

type Fields = Readonly<Record<string, string | undefined>>

/** `is too long` is said below its field: it needs no name, but a capital. */
function sentenceFrom(problem: string): string {
  const text = problem.charAt(0).toUpperCase() + problem.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}
