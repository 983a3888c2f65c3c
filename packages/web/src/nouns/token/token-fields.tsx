import { useId } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { fill } from '../../components/fill.tsx'
import { CheckField, TextField } from '../../components/form/field.tsx'
import { Day, Time } from '../../components/time.tsx'
import { dayAhead, daysUntil, maxDays } from './scopes.ts'
import { texts } from './texts.ts'
import styles from './token.module.css'

/** Checkboxes of scopes. */
export function ScopesField<Name extends string>({
  scopes,
  chosen,
  onChange,
}: {
  scopes: readonly { name: Name; meaning: string }[]
  chosen: readonly Name[]
  onChange: (chosen: readonly Name[]) => void
}) {
  return (
    <fieldset className={styles.scopes}>
      <legend>{texts.scopes}</legend>
      {scopes.map(({ name, meaning }) => (
        <CheckField
          key={name}
          label={<code>{name}</code>}
          hint={meaning}
          checked={chosen.includes(name)}
          onChange={({ target }) =>
            onChange(target.checked ? [...chosen, name] : chosen.filter((other) => other !== name))
          }
        />
      ))}
    </fieldset>
  )
}

export function EndField({ days }: { days: number }) {
  return (
    <TextField
      label={texts.expirationDate}
      name="expires_at"
      type="date"
      required
      defaultValue={dayAhead(days)}
      min={dayAhead(1)}
      max={dayAhead(maxDays)}
      hint={texts.theTokenExpiresAtTheStart(maxDays)}
    />
  )
}

/** Shows the value of a new token, which cannot be displayed again. */
export function NewToken({ issued, onClose }: { issued: { name: string; token: string }; onClose: () => void }) {
  const id = useId()
  return (
    <section className={styles.issued} aria-label={texts.newToken} role="status">
      <label htmlFor={id}>{fill(texts.createdCopyTokenNow, { strong: <strong>{issued.name}</strong> })}</label>
      <div className="row-wrap">
        <input
          id={id}
          className={styles.secret}
          readOnly
          value={issued.token}
          onFocus={({ target }) => target.select()}
          spellCheck={false}
        />
        <CopyButton text={issued.token} label={texts.copyToken} size="normal" />
        <Button kind="quiet" onClick={onClose}>
          {texts.done}
        </Button>
      </div>
    </section>
  )
}

export function TokenName({
  token: { name, description, created_at: createdAt },
}: {
  token: { name: string; description: string | null; created_at: string }
}) {
  return (
    <>
      {name}
      {description && <p className="muted small">{description}</p>}
      <p className="muted small">{fill(texts.created, { time: <Time of={createdAt} /> })}</p>
    </>
  )
}

export function Scopes({ scopes }: { scopes: readonly string[] }) {
  return (
    <span className="row-wrap">
      {scopes.map((scope) => (
        <Badge key={scope}>{scope}</Badge>
      ))}
    </span>
  )
}

const never = <span className="muted">{texts.never}</span>

export function LastUse({ at, addresses = [] }: { at: string | null; addresses?: readonly string[] }) {
  if (!at) return never
  return (
    <>
      <Time of={at} />
      {addresses.length > 0 && <p className="muted small numbers">{addresses.join(', ')}</p>}
    </>
  )
}

const soonDays = 30

/** The expiration date of a token, with a badge when it is near. */
export function Expiration({
  token: { revoked, active, expires_at: end },
}: {
  token: { revoked: boolean; active: boolean; expires_at: string | null }
}) {
  if (revoked) return <Badge tone="danger">{texts.revoked}</Badge>
  if (!end) return never
  const days = daysUntil(end)
  return (
    <>
      <Day of={end} />
      {active && days <= soonDays && (
        <p>
          <Badge tone="warning">{texts.expiresInDays(days)}</Badge>
        </p>
      )}
    </>
  )
}
