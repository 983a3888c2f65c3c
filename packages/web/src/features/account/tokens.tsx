import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { useAction, usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { isUnlimited, mayWrite, useSession, useUser } from '../../data/session.ts'
import { CreatePersonalToken, type IssuedToken, personalDays } from '../../nouns/token/create-token.tsx'
import { NewToken } from '../../nouns/token/token-fields.tsx'
import { TokenList, useTokenState } from '../../nouns/token/token-list.tsx'
import { AccountTabs } from './account-tabs.tsx'
import { TokenNotice } from './signed-in.tsx'
import { texts } from './texts.ts'

const perPage = 30

/** The user's own access tokens. */
export function Tokens() {
  const session = useSession()
  const { id: userId } = useUser()
  const [issued, setIssued] = useState<IssuedToken>()
  const [{ create }, setState] = useSearchState(['create'])
  const isCreating = create === 'true'
  const setCreating = (isOpen: boolean) => setState({ create: isOpen ? 'true' : undefined }, { isReplacing: true })
  const query = usePage('GET /personal_access_tokens', {
    query: { user_id: userId, state: useTokenState(), sort: 'created_desc', page: usePageNumber(), per_page: perPage },
  })
  const rotate = useAction('POST /personal_access_tokens/{id}/rotate', { showsErrors: true, onDone: setIssued })
  const revoke = useAction('DELETE /personal_access_tokens/{id}', { done: texts.tokenRevoked })
  return (
    <Page
      title={texts.accessTokens}
      lead={texts.scriptsAndToolsAuthenticate}
      actions={
        isUnlimited(session) && (
          <Button icon={Plus} kind="primary" onClick={() => setCreating(true)}>
            {texts.newToken}
          </Button>
        )
      }
    >
      <AccountTabs />
      {!isUnlimited(session) && (
        <Panel>
          <TokenNotice what={texts.toCreateTokensSign} />
        </Panel>
      )}
      {issued && <NewToken issued={issued} onClose={() => setIssued(undefined)} />}
      <TokenList
        query={query}
        perPage={perPage}
        none={{ active: texts.youHaveNoActive, inactive: texts.youHaveNoExpired }}
        mayChange={mayWrite(session)}
        rotate={{
          state: rotate,
          lead: texts.createsANewToken,
          start: (id, expiresAt, options) => rotate.mutate({ path: { id }, body: { expires_at: expiresAt } }, options),
        }}
        days={personalDays}
        revoke={{
          state: revoke,
          lead: texts.everythingThatUsesThisToken,
          start: (id, options) => revoke.mutate({ path: { id } }, options),
        }}
      />
      {isCreating && <CreatePersonalToken onClose={() => setCreating(false)} onIssued={setIssued} />}
    </Page>
  )
}
