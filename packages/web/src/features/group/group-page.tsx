import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { Badge } from '../../components/badge.tsx'
import { TrailContext } from '../../components/page/breadcrumbs.tsx'
import { PlaceName } from '../../components/page/page.tsx'
import { groupsIn, PlaceHeading } from '../../components/page/place-heading.tsx'
import type { Params } from '../../components/page/screen-table.ts'
import { Screens, useLinks } from '../../components/page/screens.tsx'
import { Failed, Loading, QueryResult } from '../../components/page/states.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { useApiQuery } from '../../data/api.ts'
import { LimitsContext } from '../../data/session.ts'
import {
  type Group,
  GroupContext,
  type GroupLevel,
  type GroupScreen,
  groupAddress,
  groupScreen,
  useGroupLevel,
} from '../../nouns/group/group.ts'
import { MirrorNotice } from '../../nouns/mirror/lazy-notice.ts'
import { limitsOf } from '../../nouns/mirror/limits.ts'
import { texts } from './texts.ts'

/** A group: its heading, its tabs, and the screen that `part` names. A former path redirects to the current one. */
export function GroupPage({ place = '', part = '' }: Params) {
  const [, navigate] = useLocation()
  const query = useApiQuery('GET /groups/{id}', { path: { id: place }, query: { with_projects: false } })
  const here = query.data?.full_path
  const level = useGroupLevel(place)
  useEffect(() => {
    if (here && here !== place)
      navigate(`${groupAddress(here)}${part && `/-/${part}`}${location.search}`, { replace: true })
  }, [here, place, part, navigate])
  return (
    <QueryResult query={query} isPage>
      {(group) => <Frame group={group} part={part} found={level} />}
    </QueryResult>
  )
}

function Frame({ group, part, found }: { group: Group; part: string; found: GroupLevel }) {
  const [trail, setTrail] = useState<HTMLElement | null>(null)
  if (found.level === undefined) {
    return found.error ? <Failed error={found.error} isPage onRetry={found.retry} /> : <Loading />
  }
  const { level } = found
  const limits = limitsOf(group)
  const parents = groupsIn(group.full_path, group.full_name)
  const screen = groupScreen(group, level)
  return (
    <GroupContext value={screen}>
      <PlaceName value={group.name}>
        <div className="stack">
          <PlaceHeading
            name={group.name}
            trail={setTrail}
            avatarUrl={group.avatar_url}
            visibility={group.visibility}
            marks={group.mirrored_from && <Badge>{texts.mirror}</Badge>}
          />
          <GroupTabs screen={screen} />
          {group.mirrored_from && <MirrorNotice kind="group" place={group} level={level} />}
          <LimitsContext value={limits}>
            <TrailContext value={{ parents, element: trail }}>
              <Screens area="group" location={`/${part}`} place={screen} />
            </TrailContext>
          </LimitsContext>
        </div>
      </PlaceName>
    </GroupContext>
  )
}

function GroupTabs({ screen }: { screen: GroupScreen }) {
  return <Tabs label={texts.sections(screen.group.name)} tabs={useLinks('tabs', 'group', screen)} />
}
