import type { Schemas } from '@alcove/client'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button, LinkButton } from '../../components/button.tsx'
import { Problem } from '../../components/form/problem.tsx'
import { Mark } from '../../components/mark.tsx'
import { useTitle } from '../../components/page/page.tsx'
import { Empty } from '../../components/page/states.tsx'
import { api, isFailure } from '../../data/api.ts'
import { finishSignIn } from './finish-sign-in.ts'
import { SecondStep } from './second-step.tsx'
import styles from './sign-in.module.css'
import { texts } from './texts.ts'

/**
 * Page of a sign-in link of the command line. The token is in the fragment (after #), so the browser does not send it on
 * page load, and programs that preview links do not use it up.
 */
export function SignInLink() {
  useTitle(texts.signIn)
  const [, navigate] = useLocation()
  const [token] = useState(() => location.hash.slice(1))
  const [problem, setProblem] = useState('')
  const [isOver, setOver] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [pending, setPending] = useState<Schemas['PendingSignIn']>()

  if (pending) return <SecondStep pending={pending} onDone={finish} onBack={leave} />
  if (token === '' || isOver) {
    return (
      <Empty title={isOver ? texts.thisLinkHasExpired : texts.incompleteLink} isPage>
        <p>{isOver ? texts.linksCanBeUsed : texts.thePartAfterIsMissing}</p>
        <LinkButton to="/-/sign_in">{texts.signIn}</LinkButton>
      </Empty>
    )
  }

  /** The link is used up once it led to the second step. */
  function leave() {
    setPending(undefined)
    setOver(true)
  }

  async function finish({ id }: Schemas['BasicUser']) {
    await finishSignIn(id, { to: '/', navigate })
  }

  async function signIn() {
    setBusy(true)
    setProblem('')
    try {
      const signedIn = await api.call('POST /-/sessions', { body: { link: token } })
      if ('challenge' in signedIn) setPending(signedIn)
      else await finish(signedIn)
    } catch (error) {
      if (isFailure(error, 401)) setOver(true)
      else setProblem((error as Error).message) // always an Error
    }
    setBusy(false)
  }

  return (
    <div className={styles.box}>
      <Mark size={48} />
      <h1>{texts.signInToAlcove}</h1>
      <p>{texts.thisLinkSignsYou}</p>
      <Problem text={problem} />
      <Button kind="primary" isBusy={isBusy} onClick={() => void signIn()}>
        {texts.signIn}
      </Button>
    </div>
  )
}
