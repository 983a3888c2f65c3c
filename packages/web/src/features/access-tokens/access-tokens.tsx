import type { ResponseOf, RowOf } from '@alcove/client'
import { KeyRound, Plus, RotateCw, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ChoiceFilter, useChoice } from '../../components/form/filters.tsx'
import { ConfirmDialog } from '../../components/overlay/dialog.tsx'
import { ActionMenu } from '../../components/overlay/menu.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedTable } from '../../components/page/paged-table.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { useLinks } from '../../components/page/screens.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { useAction, usePage } from '../../data/api.ts'
import { useMayChange } from '../../data/session.ts'
import { useGroup } from '../../nouns/group/group.ts'
import { type MemberPlace, roleName } from '../../nouns/member/roles.ts'
import { useProject } from '../../nouns/project/project.ts'
import styles from '../../nouns/token/token.module.css'
import { Expiration, LastUse, NewToken, Scopes, TokenName } from '../../nouns/token/token-fields.tsx'
import { CreateToken, RotateToken } from './token-dialogs.tsx'
import { TrustRelations } from './trust-relations.tsx'

const perPage = 20
const states = [
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Expired or revoked' },
] as const
type Token = RowOf<'GET /projects/{id}/access_tokens'>
type Issued = ResponseOf<'POST /projects/{id}/access_tokens'>

export function ProjectAccessTokens() {
  const screen = useProject()
  const { project, level } = screen
  const tabs = <Tabs label="Settings sections" tabs={useLinks('settings', 'project', screen)} />
  return <AccessTokens place={{ noun: 'project', id: project.id, name: project.name, level }} tabs={tabs} />
}

export function GroupAccessTokens() {
  const screen = useGroup()
  const { group, level } = screen
  const tabs = <Tabs label="Settings sections" tabs={useLinks('settings', 'group', screen)} />
  return <AccessTokens place={{ noun: 'group', id: group.id, name: group.name, level }} tabs={tabs} />
}

/** Access tokens and trust relations of a project or group. */
function AccessTokens({ place, tabs }: { place: MemberPlace; tabs: ReactNode }) {
  const isWriter = useMayChange()
  const [isCreating, setCreating] = useState(false)
  const [issued, setIssued] = useState<Issued>()
  return (
    <Page
      title="Access tokens"
      lead={`Pipelines and tools authenticate as a bot of this ${place.noun} instead of as a user.`}
      actions={
        isWriter && (
          <Button icon={Plus} kind="primary" onClick={() => setCreating(true)}>
            New token
          </Button>
        )
      }
    >
      {tabs}
      {issued && <NewToken issued={issued} onClose={() => setIssued(undefined)} />}
      <TokenList place={place} onIssued={setIssued} />
      <TrustRelations place={place} />
      {isCreating && <CreateToken place={place} onClose={() => setCreating(false)} onIssued={setIssued} />}
    </Page>
  )
}

function TokenList({ place, onIssued }: { place: MemberPlace; onIssued: (issued: Issued) => void }) {
  const isWriter = useMayChange()
  const state = useChoice('state', states)
  const [asked, setAsked] = useState<{ kind: 'rotate' | 'revoke'; token: Token }>()
  const close = () => setAsked(undefined)
  const query = usePage(`GET /${place.noun}s/{id}/access_tokens`, {
    path: { id: place.id },
    query: { state, sort: 'created_desc', page: usePageNumber(), per_page: perPage },
  })
  const revoke = useAction(`DELETE /${place.noun}s/{id}/access_tokens/{token_id}`, {
    done: 'Token revoked.',
    onDone: close,
  })
  const actions = (token: Token) => [
    { label: 'Rotate', icon: RotateCw, onChoose: () => setAsked({ kind: 'rotate', token }) },
    { label: 'Revoke', icon: Trash2, isDangerous: true, onChoose: () => setAsked({ kind: 'revoke', token }) },
  ]
  return (
    <>
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
          text: <p>{state === 'active' ? 'There are no active tokens.' : 'There are no expired or revoked tokens.'}</p>,
        }}
        columns={[
          ['Name', (token) => <TokenName token={token} />, styles.name],
          ['Role', (token) => roleName(token.access_level)],
          ['Scopes', ({ scopes }) => <Scopes scopes={scopes} />],
          ['Last used', (token) => <LastUse at={token.last_used_at} addresses={token.last_used_ips} />],
          ['Expires', (token) => <Expiration token={token} />],
          [
            <span key="actions" className="visually-hidden">
              Actions
            </span>,
            (token) =>
              token.active && isWriter && <ActionMenu label={`Actions for ${token.name}`} items={actions(token)} />,
          ],
        ]}
      />
      {asked?.kind === 'rotate' && (
        <RotateToken place={place} token={asked.token} onClose={close} onIssued={onIssued} />
      )}
      {asked?.kind === 'revoke' && (
        <ConfirmDialog
          isOpen
          onClose={close}
          title={`Revoke ${asked.token.name}?`}
          lead="Everything that uses this token loses access immediately, and its bot is deleted. This cannot be undone."
          confirm="Revoke"
          isBusy={revoke.isPending}
          onConfirm={() => revoke.mutate({ path: { id: place.id, token_id: asked.token.id } })}
        />
      )}
    </>
  )
}
