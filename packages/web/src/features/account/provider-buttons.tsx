import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { isFailure } from '../../data/api.ts'
import { signInWithProvider } from '../../data/provider-sign-in.ts'
import { useSession } from '../../data/session.ts'
import styles from './sign-in.module.css'

/** A button for each identity provider, and what went wrong at the last attempt. */
export function ProviderButtons({ to, problem, failed }: { to: string; problem?: string; failed?: string }) {
  const { providers } = useSession()
  const [sentence, setSentence] = useState(() => sentenceOf(problem, nameOf(failed)))
  const [busy, setBusy] = useState<string>()

  function nameOf(key: string | undefined): string {
    return providers.find((provider) => provider.key === key)?.name ?? 'the identity provider'
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
          Sign in with {name}
        </Button>
      ))}
    </>
  )
}

function sentenceOf(problem: string | undefined, name: string): string {
  if (problem === undefined) return ''
  const sentences: Record<string, string> = {
    denied: `You did not give ${name} your consent, or it did not let you in. Try again to sign in.`,
    unavailable: `${name} is not available. Try again later, or sign in another way.`,
    expired: 'This sign-in has expired or was already completed. Try again.',
    invalid: `The response of ${name} could not be verified. Try again, or ask an administrator to look at the log.`,
    not_allowed: `Your account at ${name} is not allowed to use this server. Ask an administrator for access.`,
    blocked: 'Your account on this server is blocked or deactivated. Ask an administrator to activate it.',
    no_account: 'You have no account on this server yet. Ask an administrator to create one.',
    email_taken: 'Another account on this server has your e-mail address. Ask an administrator to resolve this.',
    too_many_claims: `${name} sent more about you than this server accepts, such as too many groups. Ask an administrator.`,
    other_user: `You signed in to ${name} with another account. Sign in with the account of this session.`,
  }
  return sentences[problem] ?? 'The sign-in failed. Try again.'
}
