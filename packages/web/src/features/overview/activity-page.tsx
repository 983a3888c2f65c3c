import { History } from 'lucide-react'
import { Page } from '../../components/page/page.tsx'
import { PagedList, usePageNumber } from '../../components/page/pager.tsx'
import { Empty } from '../../components/page/states.tsx'
import { usePage } from '../../data/api.ts'
import { useLiveUpdates } from '../../data/live-updates.ts'
import { useGroup } from '../../nouns/group/group.ts'
import { useProject } from '../../nouns/project/project.ts'
import { ActivityEntries } from '../dashboard/activity.tsx'
import { everywhere, type OverviewPlace } from './place.ts'
import { texts } from './texts.ts'

const perPage = 30

/** Imports with changes and decisions of the last 30 days. */
function ActivityPage({ query, crumbs }: OverviewPlace) {
  const found = usePage('GET /security_dashboard/activity', {
    query: { ...query, page: usePageNumber(), per_page: perPage },
  })
  useLiveUpdates()
  return (
    <Page title={texts.activity} crumbs={crumbs} lead={texts.reportsThatChangedFindings}>
      <PagedList query={found} perPage={perPage} empty={<Empty icon={History} title={texts.noChangesInTheLast} />}>
        {(rows) => <ActivityEntries entries={rows} />}
      </PagedList>
    </Page>
  )
}

export function InstanceActivity() {
  return <ActivityPage {...everywhere} />
}

export function GroupActivity() {
  const { group, to } = useGroup()
  return (
    <ActivityPage query={{ group_id: group.id }} crumbs={[{ label: group.name, to: to('') }]} isOneProject={false} />
  )
}

export function ProjectActivity() {
  const { project, to } = useProject()
  return (
    <ActivityPage query={{ project_id: [project.id] }} crumbs={[{ label: project.name, to: to('') }]} isOneProject />
  )
}
