import { FolderTree, Plus } from 'lucide-react'
import { LinkButton } from '../../components/button.tsx'
import { CheckField } from '../../components/field.tsx'
import { Page } from '../../components/page.tsx'
import { Pager, usePageNumber } from '../../components/pager.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { Answered, Empty } from '../../components/states.tsx'
import { usePage } from '../../data/api.ts'
import { useSearchState } from '../../data/search-state.ts'
import { mayWrite, useSession } from '../../data/session.ts'
import { GroupList } from '../../nouns/group/group-list.tsx'

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
      title={isMine ? 'Your groups' : 'Groups'}
      actions={
        mayWrite(session) &&
        session.user?.can_create_group && (
          <LinkButton icon={Plus} kind="primary" to="/-/groups/new">
            New group
          </LinkButton>
        )
      }
    >
      <search className="row-wrap">
        <SearchField
          label="Search groups"
          value={state.search ?? ''}
          onSearch={(search) => set({ search }, { isReplacing: true })}
        />
        {session.user && (
          <CheckField
            label="Mine"
            checked={isMine}
            onChange={({ target }) => set({ membership: target.checked ? 'true' : undefined })}
          />
        )}
      </search>
      <Answered query={query}>
        {(found) =>
          found.rows.length === 0 ? (
            <Empty icon={FolderTree} title="No groups">
              <p>{state.search ? 'No groups match your search.' : 'No groups available to you.'}</p>
            </Empty>
          ) : (
            <div className="stack">
              <GroupList groups={found.rows} label="Groups" />
              <Pager page={found} perPage={perPage} />
            </div>
          )
        }
      </Answered>
    </Page>
  )
}
