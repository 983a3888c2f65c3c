import { KeyRound } from 'lucide-react'
import { ChoiceFilter, SearchFilter, useChoice } from '../../components/form/filters.tsx'
import { SearchField } from '../../components/form/search-field.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Empty } from '../../components/page/states.tsx'
import { useApiQuery, usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import { texts } from './texts.ts'
import { TokenTable } from './token-table.tsx'

const perPage = 50

const states = [
  { value: '', label: texts.allStatuses },
  { value: 'active', label: texts.active },
  { value: 'inactive', label: texts.expiredOrRevoked },
  { value: 'revoked', label: texts.revoked },
] as const
type State = (typeof states)[number]['value']

const uses = [
  { value: '', label: texts.anyLastUse },
  { value: '7', label: texts.usedInTheLast },
  { value: '-30', label: texts.notUsedFor30 },
  { value: '-90', label: texts.notUsedFor90 },
] as const

const ends = [
  { value: '', label: texts.anyExpiration },
  { value: '7', label: texts.expiresWithinAWeek },
  { value: '30', label: texts.expiresWithin30Days },
  { value: '-0', label: texts.expired },
] as const

/** Personal access tokens of all users. */
export function Tokens() {
  const session = useSession()
  const [state, set] = useSearchState(['search', 'user'])
  const chosen = useChoice('state', states)
  const used = useChoice('used', uses)
  const ending = useChoice('ends', ends)
  const users = useApiQuery('GET /users', { query: { username: state.user } }, { isEnabled: state.user !== undefined })
  const user = users.data?.[0]
  const isUnknownUser = state.user !== undefined && users.data !== undefined && !user
  const query = usePage(
    'GET /personal_access_tokens',
    {
      query: {
        search: state.search,
        user_id: state.user === undefined ? undefined : user?.id,
        ...stateFilter(chosen),
        ...(used && (used.startsWith('-') ? { last_used_before: before(used) } : { last_used_after: before(used) })),
        ...endFilter(ending),
        sort: 'created_desc',
        page: usePageNumber(),
        per_page: perPage,
      },
    },
    { isEnabled: state.user === undefined || user !== undefined },
  )
  return (
    <Page title={texts.tokens} lead={texts.personalAccessTokensOfAll}>
      <search className="row-wrap">
        <SearchFilter label={texts.searchTokensByName} />
        <SearchField
          label={texts.username}
          value={state.user ?? ''}
          onSearch={(name) => set({ user: name.replace(/^@/, '') }, { isReplacing: true })}
        />
        <ChoiceFilter name="state" label={texts.status} choices={states} />
        <ChoiceFilter name="used" label={texts.lastUsed} choices={uses} />
        <ChoiceFilter name="ends" label={texts.expiration} choices={ends} />
      </search>
      {isUnknownUser ? (
        <Empty icon={KeyRound} title={texts.noUserNamed(state.user)}>
          <p>{texts.enterTheFullUsername}</p>
        </Empty>
      ) : (
        <PagedList
          query={query}
          perPage={perPage}
          empty={
            <Empty icon={KeyRound} title={texts.noMatchingTokens}>
              <p>{texts.usersCreateTokensInTheir}</p>
            </Empty>
          }
        >
          {(rows) => <TokenTable tokens={rows} hasUsers isReadOnly={!mayWrite(session)} />}
        </PagedList>
      )}
    </Page>
  )
}

function stateFilter(state: State): { revoked?: boolean; state?: 'active' | 'inactive' } {
  if (state === 'revoked') return { revoked: true }
  return state === '' ? {} : { state }
}

/** Returns the expiration filter. A token is already expired on its expiration date. */
function endFilter(ending: string): { expires_before?: string; expires_after?: string } {
  if (ending === '') return {}
  if (ending === '-0') return { expires_before: dayIn(0) }
  return { expires_after: dayIn(1), expires_before: dayIn(Number(ending)) }
}

const dayMs = 24 * 60 * 60 * 1000

/** Returns the date in `days` days. A date without time, so that the query stays equal between renders. */
function dayIn(days: number): string {
  return new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)
}

/** Returns the start of the day that many days ago. */
function before(days: string): string {
  return `${dayIn(-Math.abs(Number(days)))}T00:00:00Z`
}
