import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { CheckField, TextField } from '../../components/form/field.tsx'
import { FormGroup } from './form-group.tsx'
import styles from './hook-form.module.css'
import type { Hook } from './place.ts'
import { texts } from './texts.ts'

/** Write-only tokens by which a receiver verifies requests. A new URL removes them. */
export function TokenFields({ hook, isMoved }: { hook: Hook | undefined; isMoved: boolean }) {
  const present = [hook?.token_present && texts.secretToken, hook?.signing_token_present && texts.signingToken]
  const keep = hook && !isMoved ? texts.leaveEmptyToKeep : ''
  return (
    <FormGroup
      title={texts.verification}
      summary={present.filter(Boolean).join(' and ') || texts.none}
      fields={['token', 'signing_token']}
      isOpen={!hook || isMoved}
    >
      {isMoved && <p>{texts.changingTheUrlRemovesBoth}</p>}
      <TextField
        label={hook ? texts.newSecretToken : texts.secretToken2}
        name="token"
        type="password"
        autoComplete="new-password"
        hint={texts.sentInTheX(keep)}
      />
      {hook?.token_present && !isMoved && <CheckField label={texts.removeSecretToken} name="remove_token" />}
      <SigningToken label={hook ? texts.newSigningToken : texts.signingToken2} keep={keep} />
      {hook?.signing_token_present && !isMoved && (
        <CheckField label={texts.removeSigningToken} name="remove_signing_token" />
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
        hint={isShown ? texts.copyThisTokenToTheReceiver : texts.signsEveryRequestTheReceiver(keep)}
      />
      <div className={styles.buttons}>
        <Button size="small" icon={KeyRound} onClick={generate}>
          {texts.generateSigningToken}
        </Button>
        {isShown && <CopyButton text={generated} label={texts.copySigningToken} />}
      </div>
    </div>
  )
}

const keyBytes = 32

/** Returns a random key in the form of the Standard Webhooks specification. */
function newSigningToken(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(keyBytes))))}`
}
