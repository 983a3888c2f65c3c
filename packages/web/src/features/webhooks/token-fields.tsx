import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { CheckField, TextField } from '../../components/form/field.tsx'
import { FormGroup } from './form-group.tsx'
import styles from './hook-form.module.css'
import type { Hook } from './place.ts'

/** Write-only tokens by which a receiver verifies requests. A new URL removes them. */
export function TokenFields({ hook, isMoved }: { hook: Hook | undefined; isMoved: boolean }) {
  const present = [hook?.token_present && 'secret token', hook?.signing_token_present && 'signing token']
  const keep = hook && !isMoved ? ' Leave empty to keep the current token.' : ''
  return (
    <FormGroup
      title="Verification"
      summary={present.filter(Boolean).join(' and ') || 'None'}
      fields={['token', 'signing_token']}
      isOpen={!hook || isMoved}
    >
      {isMoved && <p>Changing the URL removes both tokens. Enter them here to set them again.</p>}
      <TextField
        label={hook ? 'New secret token' : 'Secret token'}
        name="token"
        type="password"
        autoComplete="new-password"
        hint={`Sent in the X-Gitlab-Token header so that the receiver can verify requests. It is not shown again.${keep}`}
      />
      {hook?.token_present && !isMoved && <CheckField label="Remove secret token" name="remove_token" />}
      <SigningToken label={hook ? 'New signing token' : 'Signing token'} keep={keep} />
      {hook?.signing_token_present && !isMoved && (
        <CheckField label="Remove signing token" name="remove_signing_token" />
      )}
    </FormGroup>
  )
}

function SigningToken({ label, keep }: { label: string; keep: string }) {
  const [value, setValue] = useState('')
  const [generated, setGenerated] = useState('')
  const isShown = generated !== '' && value === generated
  function generate() {
    const token = newSigningToken()
    setGenerated(token)
    setValue(token)
  }
  return (
    <div className="stack-tight">
      <TextField
        label={label}
        name="signing_token"
        type={isShown ? 'text' : 'password'}
        autoComplete="new-password"
        spellCheck={false}
        value={value}
        onChange={({ target }) => setValue(target.value)}
        hint={
          isShown
            ? 'Copy this token to the receiver now. It is not shown again after you save.'
            : `Signs every request: the receiver verifies the webhook-signature header with it. It is never sent or shown again.${keep}`
        }
      />
      <div className={styles.buttons}>
        <Button size="small" icon={KeyRound} onClick={generate}>
          Generate signing token
        </Button>
        {isShown && <CopyButton text={generated} label="Copy signing token" />}
      </div>
    </div>
  )
}

const keyBytes = 32

/** Returns a random key in the form of the Standard Webhooks specification. */
function newSigningToken(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(keyBytes))))}`
}
