import { useParams } from 'wouter'
import { Button, LinkButton } from '../../components/button.tsx'
import { Problem } from '../../components/form/problem.tsx'
import { useTitle } from '../../components/page/page.tsx'
import { Empty } from '../../components/page/states.tsx'
import { isFailure, useAction } from '../../data/api.ts'

/** Page of the link in a message. Turns messages off only after a click, because mail programs may open links. */
export function Unsubscribe() {
  useTitle('Unsubscribe')
  const { token = '' } = useParams<{ token: string }>()
  const action = useAction('POST /-/unsubscribe/{token}', { showsErrors: true })
  if (action.isSuccess) {
    return (
      <Empty title="Unsubscribed" isPage>
        <p>You no longer receive messages of this kind. You can turn them on again in your account.</p>
        <LinkButton to="/-/profile/notifications">Show notifications</LinkButton>
      </Empty>
    )
  }
  const problem = isFailure(action.error, 404)
    ? 'This link is not valid. Copy the complete link and open it again.'
    : action.error?.message
  return (
    <Empty title="Unsubscribe from messages of this kind?" isPage>
      <Problem text={problem ?? ''} />
      <Button kind="primary" isBusy={action.isPending} onClick={() => action.mutate({ path: { token } })}>
        Unsubscribe
      </Button>
    </Empty>
  )
}
