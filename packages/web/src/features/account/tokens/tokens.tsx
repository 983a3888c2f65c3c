import type { RowOf } from '@alcove/client'
import { KeyRound, Plus, RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { SelectField } from '../../../components/form/field.tsx'
import { ConfirmDialog } from '../../../components/overlay/dialog.tsx'
import { ActionMenu } from '../../../components/overlay/menu.tsx'
import { Page, Panel } from '../../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../../components/page/pager.tsx'
import { Empty } from '../../../components/page/states.tsx'
import { Table } from '../../../components/table.tsx'
import { Day, Time } from '../../../components/time.tsx'
import { useAction, usePage } from '../../../data/api.ts'
import { useSearchState } from '../../../data/search-state.ts'
import { mayWrite, useSession, useUser } from '../../../data/session.ts'
import { AccountTabs } from '../account-tabs.tsx'
import { TokenNotice } from '../signed-in.tsx'
import { CreateToken, type Issued, NewToken, RotateToken } from './token-dialogs.tsx'
import styles from './tokens.module.css'

const perPage = 30
const states = [
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Expired or revoked' },
] as const
type State = (typeof states)[number]['value']
type Token = RowOf<'GET /personal_access_tokens'>

/** The user's own access tokens. */
export function Tokens() {
  const session = useSession()
  const { id: userId } = useUser()
  const [{ state: wanted }, set] = useSearchState(['state'])
  const state: State = wanted === 'inactive' ? 'inactive' : 'active'
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
        <div>
          <SelectField<State>
            label="Status"
            isLabelHidden
            choices={states}
            value={state}
            onChoose={(chosen) => set({ state: chosen === 'active' ? undefined : chosen })}
          />
        </div>
      </div>
      <PagedList
        query={query}
        perPage={perPage}
        empty={
          <Empty icon={KeyRound} title="No tokens">
            <p>{state === 'active' ? 'You have no active tokens.' : 'You have no expired or revoked tokens.'}</p>
          </Empty>
        }
      >
        {(rows) => (
          <Table label="Access tokens" head={['Name', 'Scopes', 'Last used', 'Expires', <Hidden key="actions" />]}>
            {rows.map((token) => (
              <Row
                key={token.id}
                token={token}
                isWriter={mayWrite(session)}
                ask={(kind) => setAsked({ kind, token })}
              />
            ))}
          </Table>
        )}
      </PagedList>
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

function Hidden() {
  return <span className="visually-hidden">Actions</span>
}

function Row({ token, isWriter, ask }: { token: Token; isWriter: boolean; ask: (kind: 'rotate' | 'revoke') => void }) {
  const { name, description, scopes, last_used_at: usedAt, last_used_ips: addresses, expires_at: end } = token
  return (
    <tr>
      <td className={styles.name}>
        {name}
        {description && <p className="muted small">{description}</p>}
        <p className="muted small">
          Created <Time of={token.created_at} />
        </p>
      </td>
      <td>
        <span className="row-wrap">
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </span>
      </td>
      <td>
        {usedAt ? (
          <>
            <Time of={usedAt} />
            {addresses.length > 0 && <p className="muted small numbers">{addresses.join(', ')}</p>}
          </>
        ) : (
          <span className="muted">Never</span>
        )}
      </td>
      <td>
        {token.revoked ? (
          <Badge tone="danger">Revoked</Badge>
        ) : end ? (
          <Day of={end} />
        ) : (
          <span className="muted">Never</span>
        )}
      </td>
      <td>
        {token.active && isWriter && (
          <ActionMenu
            label={`Actions for ${name}`}
            items={[
              { label: 'Rotate', icon: RotateCw, onChoose: () => ask('rotate') },
              { label: 'Revoke', icon: Trash2, isDangerous: true, onChoose: () => ask('revoke') },
            ]}
          />
        )}
      </td>
    </tr>
  )
}
