import type { Page } from '@alcove/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { KeyRound, RotateCw, Trash2 } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { ActionForm } from '../../components/form/action-form.tsx'
import { ChoiceFilter, useChoice } from '../../components/form/filters.tsx'
import { ConfirmDialog, Dialog } from '../../components/overlay/dialog.tsx'
import { ActionMenu } from '../../components/overlay/menu.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { texts } from './texts.ts'
import styles from './token.module.css'
import { EndField, Expiration, LastUse, Scopes, TokenName } from './token-fields.tsx'

const states = [
  { value: 'active', label: texts.active },
  { value: 'inactive', label: texts.expiredOrRevoked },
] as const

/** Returns the status by which the list of tokens is filtered. */
export const useTokenState = () => useChoice('state', states)

type ListedToken = ComponentProps<typeof TokenName>['token'] &
  ComponentProps<typeof Expiration>['token'] & {
    id: number
    scopes: readonly string[]
    last_used_at: string | null
    last_used_ips?: readonly string[]
  }

/** Action of the list, started for one token. `onSuccess` closes the dialog. */
interface TokenAction<Input extends unknown[]> {
  state: { error: Error | null; isPending: boolean; reset: () => void }
  /** Explains what the action does. */
  lead: string
  start: (id: number, ...rest: [...Input, { onSuccess: () => void }]) => void
}

/** List of access tokens, with dialogs to rotate and revoke them. */
export function TokenList<Token extends ListedToken>({
  query,
  perPage,
  columns = [],
  none,
  mayChange,
  rotate,
  days,
  revoke,
}: {
  query: UseQueryResult<Page<Token>, Error>
  perPage: number
  /** Further columns after the name. */
  columns?: ComponentProps<typeof PagedTable<Token>>['columns']
  /** Text instead of an empty list, by status. */
  none: Record<(typeof states)[number]['value'], string>
  mayChange: boolean
  rotate: TokenAction<[expiresAt: string]>
  /** Default lifetime of a rotated token in days. */
  days: number
  revoke: TokenAction<[]>
}) {
  const state = useTokenState()
  const [asked, setAsked] = useState<{ kind: 'rotate' | 'revoke'; token: Token }>()
  const close = () => setAsked(undefined)
  const actions = (token: Token) => [
    {
      label: texts.rotate,
      icon: RotateCw,
      onChoose() {
        rotate.state.reset()
        setAsked({ kind: 'rotate', token })
      },
    },
    { label: texts.revoke, icon: Trash2, isDangerous: true, onChoose: () => setAsked({ kind: 'revoke', token }) },
  ]
  return (
    <>
      <div className="row-wrap">
        <ChoiceFilter name="state" label={texts.status} choices={states} />
      </div>
      <PagedTable
        label={texts.accessTokens}
        query={query}
        perPage={perPage}
        empty={{ icon: KeyRound, title: texts.noTokens, text: <p>{none[state]}</p> }}
        columns={[
          [texts.name, (token) => <TokenName token={token} />, styles.name],
          ...columns,
          [texts.scopes, ({ scopes }) => <Scopes scopes={scopes} />],
          [texts.lastUsed, (token) => <LastUse at={token.last_used_at} addresses={token.last_used_ips ?? []} />],
          [texts.expires, (token) => <Expiration token={token} />],
          [
            <span key="actions" className="visually-hidden">
              {texts.actions}
            </span>,
            (token) =>
              token.active && mayChange && <ActionMenu label={texts.actionsFor(token.name)} items={actions(token)} />,
          ],
        ]}
      />
      {asked?.kind === 'rotate' && (
        <Dialog isOpen onClose={close} title={texts.rotateName(asked.token.name)} lead={rotate.lead}>
          <ActionForm
            action={rotate.state}
            submit={texts.rotate}
            onCancel={close}
            onSubmit={(text) => rotate.start(asked.token.id, text('expires_at'), { onSuccess: close })}
          >
            <EndField days={days} />
          </ActionForm>
        </Dialog>
      )}
      {asked?.kind === 'revoke' && (
        <ConfirmDialog
          isOpen
          onClose={close}
          title={texts.revokeName(asked.token.name)}
          lead={revoke.lead}
          confirm={texts.revoke}
          isBusy={revoke.state.isPending}
          onConfirm={() => revoke.start(asked.token.id, { onSuccess: close })}
        />
      )}
    </>
  )
}
