import type { Schemas } from '@alcove/client'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { api, isFailure } from '../../data/api.ts'
import { hasPasskeys, signWithPasskey } from '../../data/passkeys.ts'
import styles from './sign-in.module.css'
import { texts } from './texts.ts'

/** Button that signs in with a passkey alone. Absent in browsers without passkeys. */
export function PasskeySignIn({ onDone }: { onDone: (user: Schemas['BasicUser']) => Promise<void> }) {
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  if (!hasPasskeys()) return null

  async function signIn() {
    setBusy(true)
    setProblem('')
    try {
      const credential = await signWithPasskey()
      if (credential) {
        return await onDone(await api.call('POST /-/sessions/passkey', { body: { credential } }))
      }
      setProblem(texts.noPasskeyWasUsed)
    } catch (error) {
      const { message } = error as Error // always an Error
      setProblem(isFailure(error, 401) ? texts.thisServerDoesNotKnow : message)
    }
    setBusy(false)
  }

  return (
    <>
      <Button icon={KeyRound} isBusy={isBusy} onClick={() => void signIn()}>
        {texts.signInWithAPasskey}
      </Button>
      {problem && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </>
  )
}
