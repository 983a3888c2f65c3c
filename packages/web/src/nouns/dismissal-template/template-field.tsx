import { useRef } from 'react'
import { SelectField } from '../../components/form/field.tsx'
import { useApiQuery } from '../../data/api.ts'
import { dayIn } from '../vulnerability/dismissal-end-field.tsx'
import { type DismissalTemplate, operationsOf, type TemplatePlace } from './template-place.ts'
import { texts } from './texts.ts'

/**
 * Choice of a template that fills in the reason, comment and end of the dismissal form around it, which stay editable.
 * Shows nothing where there are no templates.
 */
export function TemplateField({ place }: { place: TemplatePlace }) {
  const field = useRef<HTMLSelectElement>(null)
  const { path, id } = operationsOf(place)
  const { data: templates = [] } = useApiQuery(`GET ${path}`, { path: { id } })
  if (templates.length === 0) return null
  const none = { value: '', label: texts.noTemplate }
  const choices = templates.map(({ id, name, level }) => ({ value: String(id), label: labels[level](name) }))
  function fill(value: string): void {
    const template = templates.find(({ id }) => String(id) === value)
    const form = field.current?.form
    if (template && form) fillForm(form, template)
  }
  return <SelectField ref={field} label={texts.template} choices={[none, ...choices]} onChoose={fill} />
}

const labels: Record<DismissalTemplate['level'], (name: string) => string> = {
  project: (name) => name,
  group: texts.ofGroup,
  instance: texts.ofInstance,
}

/** Sets the fields of a dismissal form, which are not controlled by React. */
function fillForm(form: HTMLFormElement, template: DismissalTemplate): void {
  const input = (selector: string) => form.querySelector<HTMLInputElement>(`input${selector}`)
  const reason = input(`[name=dismissal_reason][value=${template.dismissal_reason}]`)
  if (reason) reason.checked = true
  const until = input('[name=until]')
  if (until) until.value = template.until_days === null ? '' : dayIn(template.until_days)
  const untilFixed = input('[name=until_fixed]')
  if (untilFixed) untilFixed.checked = template.until_fixed
  const comment = form.querySelector<HTMLTextAreaElement>('textarea[name=comment]')
  if (comment) comment.value = template.comment
}
