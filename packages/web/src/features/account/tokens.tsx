import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { useAction, usePage } from '../../data/api.ts'
import { isUnlimited, mayWrite, useSession, useUser } from '../../data/session.ts'
import { CreatePersonalToken, type IssuedToken, personalDays } from '../../nouns/token/create-token.tsx'
import { NewToken } from '../../nouns/token/token-fields.tsx'
import { TokenList, useTokenState } from '../../nouns/token/token-list.tsx'
import { AccountTabs } from './account-tabs.tsx'
import { TokenNotice } from './signed-in.tsx'

const perPage = 30

/** The user's own access tokens. */
export function Tokens() {
  const session = useSession()
  const { id: userId } = useUser()
  const [issued, setIssued] = useState<IssuedToken>()
  const [isCreating, setCreating] = useState(false)
  const query = usePage('GET /personal_access_tokens', {
    query: { user_id: userId, state: useTokenState(), sort: 'created_desc', page: usePageNumber(), per_page: perPage },
  })
  const rotate = useAction('POST /personal_access_tokens/{id}/rotate', { showsErrors: true, onDone: setIssued })
  const revoke = useAction('DELETE /personal_access_tokens/{id}', { done: 'Token revoked.' })
  return (
    <Page
      title="Access tokens"
      lead="Scripts and tools authenticate with access tokens instead of your password."
      actions={
        isUnlimited(session) && (
          <Button icon={Plus} kind="primary" onClick={() => setCreating(true)}>
            New token
          </Button>
        )
      }
    >
      <AccountTabs />
      {!isUnlimited(session) && (
        <Panel>
          <TokenNotice what="To create tokens, sign in with your password." />
        </Panel>
      )}
      {issued && <NewToken issued={issued} onClose={() => setIssued(undefined)} />}
      <TokenList
        query={query}
        perPage={perPage}
        none={{ active: 'You have no active tokens.', inactive: 'You have no expired or revoked tokens.' }}
        mayChange={mayWrite(session)}
        rotate={{
          state: rotate,
          lead: 'Creates a new token with the same name and scopes, and revokes the old one immediately. Update everything that uses it.',
          start: (id, expiresAt, options) => rotate.mutate({ path: { id }, body: { expires_at: expiresAt } }, options),
        }}
        days={personalDays}
        revoke={{
          state: revoke,
          lead: 'Everything that uses this token loses access immediately. This cannot be undone.',
          start: (id, options) => revoke.mutate({ path: { id } }, options),
        }}
      />
      {isCreating && <CreatePersonalToken onClose={() => setCreating(false)} onIssued={setIssued} />}
    </Page>
  )
}
