import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { DialogActions } from '../overlay/dialog.tsx'
import { texts } from '../texts.ts'
import { FieldProblems } from './field.tsx'
import { Problem, problemsOf } from './problem.tsx'

/**
 * Form that runs an action. The fields named in `fields` show the server's messages about them; all other messages
 * appear above the button.
 */
export function ActionForm({
  action: { error, isPending },
  fields = [],
  submit,
  kind = 'primary',
  isDisabled = false,
  problem,
  aside,
  onCancel,
  onSubmit,
  children,
}: {
  action: { error: Error | null; isPending: boolean }
  fields?: readonly string[]
  /** Label of the button. */
  submit: string
  kind?: 'primary' | 'plain'
  isDisabled?: boolean
  /** Problem that was found before the request. */
  problem?: string | undefined
  /** Shown beside the button. */
  aside?: ReactNode
  /** Present in dialogs. */
  onCancel?: () => void
  /** `text` returns the trimmed value of a field. */
  onSubmit: (text: (name: string) => string, form: HTMLFormElement) => void
  children: ReactNode
}) {
  const { fields: problems, rest } = problemsOf(error, fields)
  const button = (
    <Button type="submit" kind={kind} isBusy={isPending} disabled={isDisabled}>
      {submit}
    </Button>
  )
  return (
    <form
      className={onCancel ? 'stack' : 'form'}
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        onSubmit((name) => String(new FormData(form).get(name) ?? '').trim(), form)
      }}
    >
      <FieldProblems value={problems}>{children}</FieldProblems>
      <Problem text={problem || rest} />
      {onCancel ? (
        <DialogActions>
          <Button onClick={onCancel}>{texts.cancel}</Button>
          {button}
        </DialogActions>
      ) : (
        <div className="row-wrap">
          {button}
          {aside}
        </div>
      )}
    </form>
  )
}
