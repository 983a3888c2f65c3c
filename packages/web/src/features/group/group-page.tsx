import { Suspense, useEffect } from 'react'
import { useLocation } from 'wouter'
import { lazyComponent } from '../../components/later.ts'
import { NotForYou, NotFound } from '../../components/page/not-found.tsx'
import { PlaceName } from '../../components/page/page.tsx'
import { groupsIn, PlaceHeading } from '../../components/page/place-heading.tsx'
import { Failed, Loading, QueryResult } from '../../components/page/states.tsx'
import { type Tab, Tabs } from '../../components/page/tabs.tsx'
import { useApiQuery } from '../../data/api.ts'
import { levels, mayWrite, type SessionState, useSession } from '../../data/session.ts'
import {
  type Group,
  GroupContext,
  type GroupScreen,
  groupAddress,
  useGroup,
  useGroupLevel,
} from '../../nouns/group/group.ts'
import { GroupOverview } from './overview.tsx'

const GroupVulnerabilities = lazyComponent(
  async () => (await import('../vulnerabilities/group-vulnerabilities.tsx')).GroupVulnerabilities,
)
const GroupTrends = lazyComponent(
  async () => (await import('../vulnerabilities/group-vulnerabilities.tsx')).GroupTrends,
)
const GroupUploads = lazyComponent(async () => (await import('../uploads/group-uploads.tsx')).GroupUploads)
const GroupMembers = lazyComponent(async () => (await import('./members.tsx')).GroupMembers)
const GroupSettings = lazyComponent(async () => (await import('./settings.tsx')).GroupSettings)

/** A group: its heading, its tabs, and the screen that `part` names. A former path redirects to the current one. */
export function GroupPage({ place, part }: { place: string; part: string }) {
  const [, navigate] = useLocation()
  const query = useApiQuery('GET /groups/{id}', { path: { id: place }, query: { with_projects: false } })
  const here = query.data?.full_path
  useEffect(() => {
    if (here && here !== place)
      navigate(`${groupAddress(here)}${part && `/-/${part}`}${location.search}`, { replace: true })
  }, [here, place, part, navigate])
  return (
    <QueryResult query={query} isPage>
      {(group) => <Frame group={group} part={part} />}
    </QueryResult>
  )
}

function Frame({ group, part }: { group: Group; part: string }) {
  const session = useSession()
  const found = useGroupLevel(group.id)
  if (found.level === undefined) {
    return found.error ? <Failed error={found.error} isPage onRetry={found.retry} /> : <Loading />
  }
  const { level } = found
  const screen: GroupScreen = { group, level, to: (part) => `${groupAddress(group.full_path)}${part && `/-/${part}`}` }
  return (
    <GroupContext value={screen}>
      <PlaceName value={group.name}>
        <div className="stack">
          <PlaceHeading
            name={group.name}
            above={groupsIn(group.full_path).slice(0, -1)}
            avatarUrl={group.avatar_url}
            visibility={group.visibility}
          />
          <Tabs label={`${group.name}: sections`} tabs={tabsFor(screen, session)} />
          <Suspense fallback={<Loading />}>
            <Screen part={part} />
          </Suspense>
        </div>
      </PlaceName>
    </GroupContext>
  )
}

/** Returns the tabs that the user may open; `from` is the minimum access level. */
function tabsFor({ level, to }: GroupScreen, session: SessionState): Tab[] {
  const tabs: (Tab & { from: number })[] = [
    { label: 'Overview', to: to(''), isExact: true, from: 0 },
    // Lists what the user may read in each project, whatever their role in the group.
    { label: 'Vulnerabilities', to: to('vulnerabilities'), from: session.user ? 0 : Number.POSITIVE_INFINITY },
    { label: 'Uploads', to: to('uploads'), from: mayWrite(session) ? 0 : levels.maintainer },
    ...(session.user ? [{ label: 'Members', to: to('members'), from: 0 }] : []),
    { label: 'Settings', to: to('settings'), from: levels.owner },
  ]
  return tabs.filter(({ from }) => level >= from)
}

function Screen({ part }: { part: string }) {
  const [first = '', second] = part.split('/')
  const { level } = useGroup()
  const { user } = useSession()
  switch (first) {
    case '':
      return <GroupOverview />
    case 'vulnerabilities':
      if (!user) return <NotForYou />
      return second === 'trends' ? <GroupTrends /> : <GroupVulnerabilities />
    case 'uploads':
      return <GroupUploads part={second} />
    case 'members':
      return user ? <GroupMembers /> : <NotForYou />
    case 'settings':
      return level >= levels.owner ? <GroupSettings /> : <NotForYou />
    default:
      return <NotFound />
  }
}
