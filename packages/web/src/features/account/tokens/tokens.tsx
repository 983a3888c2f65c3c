import type { RowOf } from '@alcove/client'
import { KeyRound, Plus, RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { ChoiceFilter, useChoice } from '../../../components/form/filters.tsx'
import { ConfirmDialog } from '../../../components/overlay/dialog.tsx'
import { ActionMenu } from '../../../components/overlay/menu.tsx'
import { Page, Panel } from '../../../components/page/page.tsx'
import { PagedTable } from '../../../components/page/paged-table.tsx'
import { usePageNumber } from '../../../components/page/pager.tsx'
import { useAction, usePage } from '../../../data/api.ts'
import { mayWrite, useSession, useUser } from '../../../data/session.ts'
import styles from '../../../nouns/token/token.module.css'
import { Expiration, LastUse, NewToken, Scopes, TokenName } from '../../../nouns/token/token-fields.tsx'
import { AccountTabs } from '../account-tabs.tsx'
import { TokenNotice } from '../signed-in.tsx'
import { CreateToken, type Issued, RotateToken } from './token-dialogs.tsx'

const perPage = 30
const states = [
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Expired or revoked' },
] as const
type Token = RowOf<'GET /personal_access_tokens'>

/** The user's own access tokens. */
export function Tokens() {
  const session = useSession()
  const { id: userId } = useUser()
  const state = useChoice('state', states)
  const [issued, setIssued] = useState<Issued>()
  const [asked, setAsked] = useState<{ kind: 'create' } | { kind: 'rotate' | 'revoke'; token: Token }>()
  const close = () => setAsked(undefined)
  const query = usePage('GET /personal_access_tokens', {
    query: { user_id: userId, state, sort: 'created_desc', page: usePageNumber(), per_page: perPage },
  })
  const revoke = useAction('DELETE /personal_access_tokens/{id}', { done: 'Token revoked.', onDone: close })
  return (
    <Page
      title="Access tokens"
      lead="Scripts and tools authenticate with access tokens instead of your password."
      actions={
        session.has_password && (
          <Button icon={Plus} kind="primary" onClick={() => setAsked({ kind: 'create' })}>
            New token
          </Button>
        )
      }
    >
      <AccountTabs />
      {!session.has_password && (
        <Panel>
          <TokenNotice what="To create tokens, sign in with your password." />
        </Panel>
      )}
      {issued && <NewToken issued={issued} onClose={() => setIssued(undefined)} />}
      <div className="row-wrap">
        <ChoiceFilter name="state" label="Status" choices={states} />
      </div>
      <PagedTable
        label="Access tokens"
        query={query}
        perPage={perPage}
        empty={{
          icon: KeyRound,
          title: 'No tokens',
          text: <p>{state === 'active' ? 'You have no active tokens.' : 'You have no expired or revoked tokens.'}</p>,
        }}
        columns={[
          ['Name', (token) => <TokenName token={token} />, styles.name],
          ['Scopes', ({ scopes }) => <Scopes scopes={scopes} />],
          ['Last used', (token) => <LastUse at={token.last_used_at} addresses={token.last_used_ips} />],
          ['Expires', (token) => <Expiration token={token} />],
          [
            <span key="actions" className="visually-hidden">
              Actions
            </span>,
            (token) =>
              token.active &&
              mayWrite(session) && (
                <ActionMenu
                  label={`Actions for ${token.name}`}
                  items={[
                    { label: 'Rotate', icon: RotateCw, onChoose: () => setAsked({ kind: 'rotate', token }) },
                    {
                      label: 'Revoke',
                      icon: Trash2,
                      isDangerous: true,
                      onChoose: () => setAsked({ kind: 'revoke', token }),
                    },
                  ]}
                />
              ),
          ],
        ]}
      />
      {asked?.kind === 'create' && <CreateToken onClose={close} onIssued={setIssued} />}
      {asked?.kind === 'rotate' && <RotateToken token={asked.token} onClose={close} onIssued={setIssued} />}
      {asked?.kind === 'revoke' && (
        <ConfirmDialog
          isOpen
          onClose={close}
          title={`Revoke ${asked.token.name}?`}
          lead="Everything that uses this token loses access immediately. This cannot be undone."
          confirm="Revoke"
          isBusy={revoke.isPending}
          onConfirm={() => revoke.mutate({ path: { id: asked.token.id } })}
        />
      )}
    </Page>
  )
}
