import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { isFailure } from '../../data/api.ts'
import { signInWithProvider } from '../../data/provider-sign-in.ts'
import { useSession } from '../../data/session.ts'
import styles from './sign-in.module.css'
import { texts } from './texts.ts'

/** A button for each identity provider, and what went wrong at the last attempt. */
export function ProviderButtons({ to, problem, failed }: { to: string; problem?: string; failed?: string }) {
  const { providers } = useSession()
  const [sentence, setSentence] = useState(() => sentenceOf(problem, nameOf(failed)))
  const [busy, setBusy] = useState<string>()

  function nameOf(key: string | undefined): string {
    return providers.find((provider) => provider.key === key)?.name ?? texts.theIdentityProvider
  }

  async function open(key: string) {
    setBusy(key)
    setSentence('')
    try {
      await signInWithProvider(key, { to })
    } catch (error) {
      const { message } = error as Error // always an Error
      setSentence(isFailure(error, 503) ? sentenceOf('unavailable', nameOf(key)) : message)
      setBusy(undefined)
    }
  }

  return (
    <>
      {sentence && (
        <p role="alert" className={styles.problem}>
          {sentence}
        </p>
      )}
      {providers.map(({ key, name }) => (
        <Button key={key} isBusy={busy === key} onClick={() => void open(key)}>
          {texts.signInWith(name)}
        </Button>
      ))}
    </>
  )
}

function sentenceOf(problem: string | undefined, name: string): string {
  if (problem === undefined) return ''
  const sentences: Record<string, string> = {
    denied: texts.youDidNotGive(name),
    unavailable: texts.isNotAvailableTry(name),
    expired: texts.thisSignInHas,
    invalid: texts.theResponseOfCould(name),
    not_allowed: texts.yourAccountAtIsNotAllowed(name),
    blocked: texts.yourAccountOnThisServer,
    no_account: texts.youHaveNoAccount,
    email_taken: texts.anotherAccountOnThisServer,
    too_many_claims: texts.sentMoreAboutYou(name),
    other_user: texts.youSignedInToWithAnother(name),
  }
  return sentences[problem] ?? texts.theSignInFailed
}
