import { useParams } from 'wouter'
import { Button, LinkButton } from '../../components/button.tsx'
import { Problem } from '../../components/form/problem.tsx'
import { useTitle } from '../../components/page/page.tsx'
import { Empty } from '../../components/page/states.tsx'
import { isFailure, useAction } from '../../data/api.ts'
import { texts } from './texts.ts'

/** Page of the link in a message. Turns messages off only after a click, because mail programs may open links. */
export function Unsubscribe() {
  useTitle(texts.unsubscribe)
  const { token = '' } = useParams<{ token: string }>()
  const action = useAction('POST /-/unsubscribe/{token}', { showsErrors: true })
  if (action.isSuccess) {
    return (
      <Empty title={texts.unsubscribed} isPage>
        <p>{texts.youNoLongerReceive}</p>
        <LinkButton to="/-/profile/notifications">{texts.showNotifications}</LinkButton>
      </Empty>
    )
  }
  const problem = isFailure(action.error, 404) ? texts.thisLinkIsNotValid : action.error?.message
  return (
    <Empty title={texts.unsubscribeFromMessagesOfThisKind} isPage>
      <Problem text={problem ?? ''} />
      <Button kind="primary" isBusy={action.isPending} onClick={() => action.mutate({ path: { token } })}>
        {texts.unsubscribe}
      </Button>
    </Empty>
  )
}
