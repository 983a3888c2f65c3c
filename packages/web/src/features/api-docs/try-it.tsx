import { Send, TriangleAlert } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../components/button.tsx'
import { fill } from '../../components/fill.tsx'
import { SelectField, TextArea, TextField } from '../../components/form/field.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { Panel } from '../../components/page/page.tsx'
import { queries, sessionHeaders } from '../../data/api.ts'
import { signInAddress } from '../../data/own-address.ts'
import type { ApiOperation } from './document.ts'
import styles from './operation-page.module.css'
import { blanksOf, type Field, type Prepared, type Value, type Values } from './request.ts'
import { ResponseView, readResponse, type TestResponse } from './response-view.tsx'
import { texts } from './texts.ts'

/** Form that sends the request as the current user. */
export function TryIt({
  operation,
  fields,
  values,
  onValues,
  prepared,
  sender,
}: {
  operation: ApiOperation
  fields: readonly Field[]
  values: Values
  onValues: (values: Values) => void
  prepared: Prepared
  sender: string | undefined
}) {
  const [isTried, setTried] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<TestResponse>()
  const problems = isTried ? prepared.problems : {}

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    setTried(true)
    if (Object.keys(prepared.problems).length > 0) return
    if (operation.method === 'DELETE') setAsking(true)
    else void send()
  }

  async function send() {
    setAsking(false)
    setBusy(true)
    setResult(await readResponse(() => fetch(prepared.address, requestOf(prepared))))
    setBusy(false)
    // Other pages may show what the request changed.
    if (operation.method !== 'GET') void queries.invalidateQueries()
  }

  return (
    <Panel title={texts.tryIt}>
      <p className="muted small">
        {sender
          ? texts.sentAs(sender)
          : fill(texts.sentWithoutAuthenticationToSend, { link: <Link to={signInAddress()}>{texts.signIn}</Link> })}
      </p>
      {operation.method !== 'GET' && (
        <p className={styles.warning}>
          <TriangleAlert size={18} aria-hidden="true" />
          {texts.thisSendsAReal}
        </p>
      )}
      <form className={styles.form} onSubmit={submit} noValidate>
        {fields.map((field) => (
          <FormField
            key={field.key}
            field={field}
            blanks={blanksOf(field, fields)}
            value={values[field.key]}
            problem={problems[field.key]}
            onChange={(value) => onValues({ ...values, [field.key]: value })}
          />
        ))}
        <div className={styles.whole}>
          <Button type="submit" kind={operation.method === 'DELETE' ? 'danger' : 'primary'} icon={Send} isBusy={isBusy}>
            {texts.send}
          </Button>
        </div>
      </form>
      <div aria-live="polite">{result && <ResponseView result={result} />}</div>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`${operation.summary}?`}
        lead={texts.thisSendsTheDeletion(prepared.method, prepared.address)}
        confirm={texts.send}
        onConfirm={() => void send()}
      />
    </Panel>
  )
}

function requestOf({ method, body }: Prepared): RequestInit {
  if (!body) return { method, headers: sessionHeaders }
  if ('json' in body) {
    const headers = { ...sessionHeaders, 'content-type': 'application/json' }
    return { method, headers, body: JSON.stringify(body.json) }
  }
  const form = new FormData()
  for (const [name, value] of body.form) form.append(name, value)
  return { method, headers: sessionHeaders, body: form }
}

interface FormFieldProps {
  field: Field
  /** Values that may be sent for a blank field. */
  blanks: readonly ('' | null)[]
  value: Value
  problem: string | undefined
  onChange: (value: Value) => void
}

function FormField(props: FormFieldProps) {
  const { field, blanks, value, onChange } = props
  const isChosen = field.kind === 'flag' || field.kind === 'choice' || field.kind === 'file'
  if (isChosen || blanks.length === 0 || (value !== undefined && value !== null && value !== '')) {
    return <Entry {...props} />
  }
  return (
    <div className="stack-tight">
      <Entry {...props} />
      <SelectField
        label={texts.ifBlank(field.name)}
        isLabelHidden
        choices={[
          { value: 'absent', label: texts.ifBlankNotSent },
          ...blanks.map((blank) => ({
            value: String(blank),
            label: blank === null ? texts.ifBlankNull : texts.ifBlankEmptyString,
          })),
        ]}
        value={value === undefined ? 'absent' : String(value)}
        onChoose={(chosen) => onChange(blanks.find((blank) => String(blank) === chosen))}
      />
    </div>
  )
}

function Entry({ field, blanks, value, problem, onChange }: FormFieldProps) {
  const { name, kind, isRequired, schema } = field
  const text = typeof value === 'string' ? value : ''
  const label = isRequired ? texts.requiredName(name) : name
  const shared = { label, error: problem && `${name} ${problem}`, value: text }
  if (kind === 'file') return <FileField label={label} problem={shared.error} onChange={onChange} />
  if (kind === 'flag' || kind === 'choice') {
    const choices = kind === 'flag' ? ['true', 'false'] : (schema.enum ?? []).map(String)
    const none = blanks.includes(null) ? [{ value: 'null', label: texts.nullLabel }] : []
    return (
      <SelectField
        {...shared}
        value={value === null ? 'null' : text}
        choices={[
          { value: '', label: texts.notSent },
          ...choices.map((choice) => ({ value: choice, label: choice })),
          ...none,
        ]}
        onChoose={(chosen) => onChange(chosen === 'null' && none.length > 0 ? null : chosen || undefined)}
      />
    )
  }
  if (kind === 'json') {
    return (
      <TextArea
        {...shared}
        rows={3}
        hint={texts.enterJson}
        spellCheck={false}
        onChange={({ target }) => onChange(target.value || undefined)}
      />
    )
  }
  return (
    <TextField
      {...shared}
      hint={kind === 'list' ? texts.separateValuesWithCommas : undefined}
      inputMode={kind === 'number' ? 'numeric' : undefined}
      type={/password|^token$|secret/.test(name) ? 'password' : 'text'}
      autoComplete="off"
      onChange={({ target }) => onChange(target.value || undefined)}
    />
  )
}

function FileField({
  label,
  problem,
  onChange,
}: {
  label: string
  problem: string | undefined
  onChange: (file: File | undefined) => void
}) {
  const id = useId()
  return (
    <div className="stack-tight">
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <input
        id={id}
        type="file"
        className={styles.file}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem && `${id}-note`}
        onChange={({ target }) => onChange(target.files?.[0])}
      />
      {problem && (
        <p id={`${id}-note`} className="small">
          {problem}
        </p>
      )}
    </div>
  )
}
