import { Button } from '../../components/button.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../../components/form/field.tsx'
import { inWords } from '../../components/format.ts'
import { useAction } from '../../data/api.ts'
import {
  type DismissalTemplate,
  operationsOf,
  type TemplatePlace,
} from '../../nouns/dismissal-template/template-place.ts'
import { dismissalReasons } from '../../nouns/vulnerability/filters.ts'
import { reasonIn } from '../../nouns/vulnerability/reason-field.tsx'
import { texts } from './texts.ts'

interface Props {
  /** Absent: a new template. */
  template: DismissalTemplate | undefined
  place: TemplatePlace
  onClose: () => void
}

/** Form of a new or an existing dismissal template. */
export function TemplateForm({ template, place, onClose }: Props) {
  const { path, id } = operationsOf(place)
  const done = { done: texts.templateSaved, showsErrors: true, onDone: onClose }
  const create = useAction(`POST ${path}`, done)
  const change = useAction(`PUT ${path}/{template_id}`, done)
  function save(text: (name: string) => string, form: HTMLFormElement): void {
    const fields = new FormData(form)
    const dismissal_reason = reasonIn(fields)
    if (!dismissal_reason) return
    const until_days = text('until_days') === '' ? null : Number(text('until_days'))
    const until_fixed = fields.has('until_fixed')
    const body = { name: text('name'), dismissal_reason, comment: text('comment'), until_days, until_fixed }
    if (template) change.mutate({ path: { id, template_id: template.id }, body })
    else create.mutate({ path: { id }, body })
  }
  return (
    <ActionForm
      action={template ? change : create}
      fields={['name', 'comment', 'until_days']}
      submit={texts.saveTemplate}
      aside={<Button onClick={onClose}>{texts.cancel}</Button>}
      onSubmit={save}
    >
      <TextField label={texts.name} name="name" required maxLength={100} defaultValue={template?.name} />
      <SelectField
        label={texts.dismissalReason}
        name="dismissal_reason"
        choices={dismissalReasons.map((reason) => ({ value: reason, label: inWords(reason) }))}
        defaultValue={template?.dismissal_reason}
      />
      <TextArea label={texts.comment} name="comment" maxLength={10_000} defaultValue={template?.comment} />
      <TextField
        label={texts.endsAfterDays}
        name="until_days"
        type="number"
        min={1}
        max={1825}
        hint={texts.optionalCountedFrom}
        defaultValue={template?.until_days ?? ''}
      />
      <CheckField
        label={texts.untilAFixIsAvailable}
        name="until_fixed"
        defaultChecked={template?.until_fixed ?? false}
      />
    </ActionForm>
  )
}
