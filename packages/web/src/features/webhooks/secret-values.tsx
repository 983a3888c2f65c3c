import { Plus, Trash2, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { TextField, useFieldProblem } from '../../components/form/field.tsx'
import { Problem } from '../../components/form/problem.tsx'
import { useAction } from '../../data/api.ts'
import { FormGroup } from './form-group.tsx'
import type { SecretList } from './hook-draft.ts'
import styles from './hook-form.module.css'
import { type Hook, useHookPlace } from './place.ts'

const texts = {
  custom_headers: {
    title: 'Custom headers',
    noun: 'header',
    hint: 'Headers that every request contains. Values are not shown again.',
    rule: 'Names consist of letters, digits, dots, hyphens and underscores, and begin with a letter. Each name is used once. Headers of HTTP itself, X-Gitlab-… and webhook-… are reserved.',
  },
  url_variables: {
    title: 'URL variables',
    noun: 'variable',
    hint: 'Secret parts of the URL: {name} in the URL stands for the value of the variable. Values are not shown again.',
    rule: 'Names consist of letters, digits, dots, hyphens and underscores, and begin with a letter. Values must not be empty.',
  },
} as const satisfies Record<SecretList, object>

/** Write-only values with names: the present names, and rows for new or changed values. A new URL removes them. */
export function SecretValues({ list, hook, isMoved }: { list: SecretList; hook: Hook | undefined; isMoved: boolean }) {
  const { title, noun, hint, rule } = texts[list]
  const [rows, setRows] = useState<readonly number[]>([])
  const addButton = useRef<HTMLButtonElement>(null)
  const problem = useFieldProblem(list)
  const present = (hook?.[list] ?? []).map(({ key }) => String(key))
  function remove(row: number) {
    setRows(rows.filter((other) => other !== row))
    addButton.current?.focus()
  }
  return (
    <FormGroup
      title={title}
      summary={present.join(', ') || 'None'}
      fields={[list]}
      isOpen={isMoved && present.length > 0}
    >
      <p className="muted small">{hint}</p>
      {isMoved && present.length > 0 && <p>Changing the URL removes the present values. Add them again here.</p>}
      {hook && !isMoved && present.length > 0 && (
        <Present {...{ list, hook, present, noun }} onRemoved={() => addButton.current?.focus()} />
      )}
      {rows.map((row, index) => (
        <Row key={row} {...{ list, noun, number: index + 1 }} onRemove={() => remove(row)} />
      ))}
      {problem && <Problem text={`${problem} ${rule}`} />}
      <div className={styles.buttons}>
        <Button ref={addButton} size="small" icon={Plus} onClick={() => setRows([...rows, (rows.at(-1) ?? 0) + 1])}>
          Add {noun}
        </Button>
      </div>
    </FormGroup>
  )
}

function Present({
  list,
  hook,
  present,
  noun,
  onRemoved,
}: {
  list: SecretList
  hook: Hook
  present: readonly string[]
  noun: string
  onRemoved: () => void
}) {
  const { id, base } = useHookPlace()
  const remove = useAction(`DELETE ${base}/{hook_id}/${list}/{key}`, {
    done: `The ${noun} was removed.`,
    onDone: onRemoved,
  })
  return (
    <ul className={styles.present} aria-label={`Present ${noun}s`}>
      {present.map((key) => (
        <li key={key} className={styles.presentRow}>
          <code>{key}</code>
          <IconButton
            icon={Trash2}
            label={`Delete ${noun} ${key}`}
            onClick={() => remove.mutate({ path: { id, hook_id: hook.id, key } })}
          />
        </li>
      ))}
    </ul>
  )
}

function Row({
  list,
  noun,
  number,
  onRemove,
}: {
  list: SecretList
  noun: string
  number: number
  onRemove: () => void
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a visible legend in the grid
    <div role="group" aria-label={`New ${noun} ${number}`} className={styles.pair}>
      <TextField label={`Name of the ${noun}`} name={`${list} key`} autoComplete="off" autoFocus />
      <TextField label={`Value of the ${noun}`} name={`${list} value`} type="password" autoComplete="new-password" />
      <IconButton icon={X} label={`Discard new ${noun} ${number}`} onClick={onRemove} />
    </div>
  )
}
