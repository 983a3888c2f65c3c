import { type ComponentProps, createContext, type ReactNode, useContext, useId } from 'react'
import styles from './field.module.css'

/** The server's messages about the fields of a form, by the names of the fields. */
export const FieldProblems = createContext<Readonly<Record<string, string | undefined>>>({})

/** Returns the server's message about a field of this form. */
export const useFieldProblem = (name: string | undefined) => useContext(FieldProblems)[name ?? '']

export interface FieldProps {
  label: string
  /** Name under which the server reports problems. */
  name?: string | undefined
  hint?: ReactNode
  /** Validation message, shown instead of the hint. */
  error?: string | undefined
  /** True: only screen readers get the label. */
  isLabelHidden?: boolean | undefined
}

interface Ids {
  id: string
  'aria-describedby'?: string
  'aria-invalid'?: true
}

/** Form control with a label above it and a hint or validation message below it. */
export function Field({
  label,
  name,
  hint,
  error: given,
  isLabelHidden,
  children,
}: FieldProps & { children: (ids: Ids) => ReactNode }) {
  const id = useId()
  const reported = useFieldProblem(name)
  const error = given ?? reported
  const note = error ?? hint
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      {children({ id, ...(note && { 'aria-describedby': `${id}-note` }), ...(error && { 'aria-invalid': true }) })}
      {note && (
        <p id={`${id}-note`} className={error ? styles.error : styles.hint}>
          {note}
        </p>
      )}
    </div>
  )
}

type Input = Omit<ComponentProps<'input'>, 'className' | 'id'>

export function TextField({ label, hint, error, isLabelHidden, ...input }: FieldProps & Input) {
  return (
    <Field {...{ label, hint, error, isLabelHidden }} name={input.name}>
      {(ids) => <input {...input} {...ids} className={styles.input} />}
    </Field>
  )
}

export function TextArea({
  label,
  hint,
  error,
  isLabelHidden,
  ...input
}: FieldProps & Omit<ComponentProps<'textarea'>, 'className' | 'id'>) {
  return (
    <Field {...{ label, hint, error, isLabelHidden }} name={input.name}>
      {(ids) => <textarea rows={4} {...input} {...ids} className={styles.input} />}
    </Field>
  )
}

export interface Choice<T extends string = string> {
  value: T
  label: string
}

/** Native select, which works with every keyboard, screen reader and phone. */
export function SelectField<T extends string>({
  label,
  hint,
  error,
  isLabelHidden,
  choices,
  onChoose,
  ...select
}: FieldProps &
  Omit<ComponentProps<'select'>, 'className' | 'id' | 'onChange' | 'value'> & {
    choices: readonly Choice<T>[]
    value?: T
    onChoose?: (value: T) => void
  }) {
  return (
    <Field {...{ label, hint, error, isLabelHidden }} name={select.name}>
      {(ids) => (
        <select
          {...select}
          {...ids}
          className={styles.input}
          onChange={({ target }) => {
            const chosen = choices.find(({ value }) => value === target.value)
            if (chosen) onChoose?.(chosen.value)
          }}
        >
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export function CheckField({ label, hint, ...input }: { label: ReactNode; hint?: ReactNode } & Input) {
  const id = useId()
  return (
    <div className={styles.check}>
      <input {...input} id={id} type="checkbox" {...(hint ? { 'aria-describedby': `${id}-note` } : {})} />
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p id={`${id}-note`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  )
}
