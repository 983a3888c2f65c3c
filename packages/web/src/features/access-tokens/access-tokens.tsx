import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page/page.tsx'
import { usePageNumber } from '../../components/page/pager.tsx'
import { useLinks } from '../../components/page/screens.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { useAction, usePage } from '../../data/api.ts'
import { useMayChange } from '../../data/session.ts'
import { useGroup } from '../../nouns/group/group.ts'
import { type MemberPlace, roleName } from '../../nouns/member/roles.ts'
import { useProject } from '../../nouns/project/project.ts'
import { botDays, CreateBotToken, type IssuedBotToken } from '../../nouns/token/create-token.tsx'
import { NewToken } from '../../nouns/token/token-fields.tsx'
import { TokenList, useTokenState } from '../../nouns/token/token-list.tsx'
import { texts } from './texts.ts'
import { TrustRelations } from './trust-relations.tsx'

const perPage = 20

export function ProjectAccessTokens() {
  const screen = useProject()
  const { project, level } = screen
  const tabs = <Tabs label={texts.settingsSections} tabs={useLinks('settings', 'project', screen)} />
  return <AccessTokens place={{ noun: 'project', id: project.id, name: project.name, level }} tabs={tabs} />
}

export function GroupAccessTokens() {
  const screen = useGroup()
  const { group, level } = screen
  const tabs = <Tabs label={texts.settingsSections} tabs={useLinks('settings', 'group', screen)} />
  return <AccessTokens place={{ noun: 'group', id: group.id, name: group.name, level }} tabs={tabs} />
}

/** Access tokens and trust relations of a project or group. */
function AccessTokens({ place, tabs }: { place: MemberPlace; tabs: ReactNode }) {
  const isWriter = useMayChange()
  const [isCreating, setCreating] = useState(false)
  const [issued, setIssued] = useState<IssuedBotToken>()
  return (
    <Page
      title={texts.accessTokens}
      lead={texts.pipelinesAndToolsAuthenticate(place.noun)}
      actions={
        isWriter && (
          <Button icon={Plus} kind="primary" onClick={() => setCreating(true)}>
            {texts.newToken}
          </Button>
        )
      }
    >
      {tabs}
      {issued && <NewToken issued={issued} onClose={() => setIssued(undefined)} />}
      <BotTokens place={place} onIssued={setIssued} />
      <TrustRelations place={place} />
      {isCreating && <CreateBotToken place={place} onClose={() => setCreating(false)} onIssued={setIssued} />}
    </Page>
  )
}

function BotTokens({ place, onIssued }: { place: MemberPlace; onIssued: (issued: IssuedBotToken) => void }) {
  const query = usePage(`GET /${place.noun}s/{id}/access_tokens`, {
    path: { id: place.id },
    query: { state: useTokenState(), sort: 'created_desc', page: usePageNumber(), per_page: perPage },
  })
  const rotate = useAction(`POST /${place.noun}s/{id}/access_tokens/{token_id}/rotate`, {
    showsErrors: true,
    onDone: onIssued,
  })
  const revoke = useAction(`DELETE /${place.noun}s/{id}/access_tokens/{token_id}`, { done: texts.tokenRevoked })
  const pathOf = (id: number) => ({ id: place.id, token_id: id })
  return (
    <TokenList
      query={query}
      perPage={perPage}
      columns={[[texts.role, (token) => roleName(token.access_level)]]}
      none={{ active: texts.thereAreNoActive, inactive: texts.thereAreNoExpired }}
      mayChange={useMayChange()}
      rotate={{
        state: rotate,
        lead: texts.createsANewToken,
        start: (id, expiresAt, options) =>
          rotate.mutate({ path: pathOf(id), body: { expires_at: expiresAt } }, options),
      }}
      days={botDays}
      revoke={{
        state: revoke,
        lead: texts.everythingThatUsesThisToken,
        start: (id, options) => revoke.mutate({ path: pathOf(id) }, options),
      }}
    />
  )
}
