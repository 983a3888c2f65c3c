import { FolderTree, Plus } from 'lucide-react'
import { LinkButton } from '../../components/button.tsx'
import { CheckField } from '../../components/form/field.tsx'
import { SearchFilter } from '../../components/form/filters.tsx'
import { Page } from '../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Empty } from '../../components/page/states.tsx'
import { usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import { GroupList } from '../../nouns/group/group-list.tsx'
import { texts } from './texts.ts'

const perPage = 30

/** List of the groups that the user may see. */
export function Groups() {
  const session = useSession()
  const [state, set] = useSearchState(['search', 'membership'])
  const isMine = session.user !== null && state.membership === 'true'
  const query = usePage('GET /groups', {
    query: {
      search: state.search,
      // Without a search only top-level groups are listed.
      top_level_only: state.search || isMine ? undefined : true,
      all_available: isMine ? false : undefined,
      page: usePageNumber(),
      per_page: perPage,
    },
  })
  return (
    <Page
      title={isMine ? texts.yourGroups : texts.groups}
      actions={
        mayWrite(session) &&
        session.user?.can_create_group && (
          <LinkButton icon={Plus} kind="primary" to="/-/groups/new">
            {texts.newGroup}
          </LinkButton>
        )
      }
    >
      <search className="row-wrap">
        <SearchFilter label={texts.searchGroups} />
        {session.user && (
          <CheckField
            label={texts.mine}
            checked={isMine}
            onChange={({ target }) => set({ membership: target.checked ? 'true' : undefined })}
          />
        )}
      </search>
      <PagedList
        query={query}
        perPage={perPage}
        empty={
          <Empty icon={FolderTree} title={texts.noGroups}>
            <p>{state.search ? texts.noGroupsMatchYourSearch : texts.noGroupsAvailableToYou}</p>
          </Empty>
        }
      >
        {(rows) => <GroupList groups={rows} label={texts.groups} />}
      </PagedList>
    </Page>
  )
}
