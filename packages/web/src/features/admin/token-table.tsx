import type { RowOf } from '@alcove/client'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { fill } from '../../components/fill.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { Table } from '../../components/table.tsx'
import { Day, Time } from '../../components/time.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import styles from './admin.module.css'
import { texts } from './texts.ts'

export type Token = RowOf<'GET /personal_access_tokens'>

/** Table of the tokens of one user, or of all users with a user column. */
export function TokenTable({
  tokens,
  hasUsers = false,
  isReadOnly,
}: {
  tokens: readonly Token[]
  hasUsers?: boolean
  isReadOnly: boolean
}) {
  const [revoking, setRevoking] = useState<Token>()
  const revoke = useAction('DELETE /personal_access_tokens/{id}', {
    done: texts.tokenRevoked,
    onDone: () => setRevoking(undefined),
  })
  const head: ReactNode[] = [
    texts.token,
    ...(hasUsers ? [texts.user] : []),
    texts.status,
    texts.scopes,
    texts.lastUsed,
    texts.expires,
    '',
  ]
  return (
    <>
      <Table label={hasUsers ? texts.tokens : texts.tokensOfTheUser} head={head}>
        {tokens.map((token) => (
          <tr key={token.id}>
            <td>
              <strong>{token.name}</strong>
              {token.description && <p className="muted small">{token.description}</p>}
              <p className={`muted small ${styles.nowrap}`}>
                {fill(texts.created2, { time: <Time of={token.created_at} /> })}
              </p>
            </td>
            {hasUsers && (
              <td>
                <UserLink id={token.user_id} />
              </td>
            )}
            <td>
              <TokenState token={token} />
            </td>
            <td className="mono small">{token.scopes.join(', ')}</td>
            <td>
              {token.last_used_at ? <Time of={token.last_used_at} /> : <span className="muted">{texts.never}</span>}
              {token.last_used_ips.length > 0 && <p className="muted small mono">{token.last_used_ips.join(', ')}</p>}
            </td>
            <td className={styles.nowrap}>
              {token.expires_at ? <Day of={token.expires_at} /> : <span className="muted">{texts.never}</span>}
            </td>
            <td>
              {!isReadOnly && token.active && (
                <Button size="small" kind="danger" onClick={() => setRevoking(token)}>
                  {texts.revoke}
                  <span className="visually-hidden"> {token.name}</span>
                </Button>
              )}
            </td>
          </tr>
        ))}
      </Table>
      <ConfirmDialog
        isOpen={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title={texts.revokeName(revoking?.name ?? '')}
        lead={texts.everythingThatUsesThisToken}
        confirm={texts.revoke}
        isBusy={revoke.isPending}
        onConfirm={() => revoking && revoke.mutate({ path: { id: revoking.id } })}
      />
    </>
  )
}

function TokenState({ token }: { token: Token }) {
  if (token.revoked) return <Badge tone="danger">{texts.revoked}</Badge>
  return token.active ? <Badge tone="success">{texts.active}</Badge> : <Badge>{texts.expired}</Badge>
}

/** Link to a user. The list contains only ids, so each user of a page is fetched once. */
function UserLink({ id }: { id: number }) {
  const { data } = useApiQuery('GET /users/{id}', { path: { id } })
  return (
    <Link to={`/-/admin/users/${id}`} className={styles.strong}>
      {data ? data.name : texts.userId(id)}
    </Link>
  )
}
