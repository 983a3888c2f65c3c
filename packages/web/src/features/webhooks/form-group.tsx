import { type ReactNode, useContext, useEffect, useState } from 'react'
import { FieldProblems } from '../../components/form/field.tsx'
import styles from './hook-form.module.css'

/** Group of fields that can be closed. It opens when the server rejects one of them. */
export function FormGroup({
  title,
  summary,
  fields,
  isOpen: isOpenAtFirst = false,
  children,
}: {
  title: string
  /** What the group is set to, such as a count. */
  summary?: string | undefined
  /** Names under which the server reports problems. */
  fields: readonly string[]
  isOpen?: boolean
  children: ReactNode
}) {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  const problems = useContext(FieldProblems)
  const hasProblem = fields.some((name) => problems[name] !== undefined)
  useEffect(() => {
    if (hasProblem) setOpen(true)
  }, [hasProblem])
  return (
    <details
      className={styles.group}
      open={isOpen}
      onToggle={({ currentTarget, target }) => {
        if (target === currentTarget) setOpen(currentTarget.open)
      }}
    >
      <summary className={styles.summary}>
        <span className={styles.title}>{title}</span>
        {summary && <span className="muted small">{summary}</span>}
      </summary>
      <div className={styles.content}>{children}</div>
    </details>
  )
}
