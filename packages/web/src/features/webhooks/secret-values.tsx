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
import { texts } from './texts.ts'

const kinds = {
  custom_headers: {
    title: texts.customHeaders,
    noun: 'header',
    hint: texts.headersThatEveryRequest,
    rule: texts.namesConsistOfLetters,
  },
  url_variables: {
    title: texts.urlVariables,
    noun: 'variable',
    hint: texts.secretPartsOfTheUrl,
    rule: texts.namesConsistOfLettersDigits,
  },
} as const satisfies Record<SecretList, object>

/** Write-only values with names: the present names, and rows for new or changed values. A new URL removes them. */
export function SecretValues({ list, hook, isMoved }: { list: SecretList; hook: Hook | undefined; isMoved: boolean }) {
  const { title, noun, hint, rule } = kinds[list]
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
      summary={present.join(', ') || texts.none}
      fields={[list]}
      isOpen={isMoved && present.length > 0}
    >
      <p className="muted small">{hint}</p>
      {isMoved && present.length > 0 && <p>{texts.changingTheUrlRemoves}</p>}
      {hook && !isMoved && present.length > 0 && (
        <Present {...{ list, hook, present, noun }} onRemoved={() => addButton.current?.focus()} />
      )}
      {rows.map((row, index) => (
        <Row key={row} {...{ list, noun, number: index + 1 }} onRemove={() => remove(row)} />
      ))}
      {problem && <Problem text={`${problem} ${rule}`} />}
      <div className={styles.buttons}>
        <Button ref={addButton} size="small" icon={Plus} onClick={() => setRows([...rows, (rows.at(-1) ?? 0) + 1])}>
          {texts.add(noun)}
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
    done: texts.theWasRemoved(noun),
    onDone: onRemoved,
  })
  return (
    <ul className={styles.present} aria-label={texts.presentS(noun)}>
      {present.map((key) => (
        <li key={key} className={styles.presentRow}>
          <code>{key}</code>
          <IconButton
            icon={Trash2}
            label={texts.deleteLabelNoun(noun, key)}
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
    <div role="group" aria-label={texts.newLabel(noun, number)} className={styles.pair}>
      <TextField label={texts.nameOfThe(noun)} name={`${list} key`} autoComplete="off" autoFocus />
      <TextField label={texts.valueOfThe(noun)} name={`${list} value`} type="password" autoComplete="new-password" />
      <IconButton icon={X} label={texts.discardNew(noun, number)} onClick={onRemove} />
    </div>
  )
}
