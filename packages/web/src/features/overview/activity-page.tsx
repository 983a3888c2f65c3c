import { History } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { ChoiceFilter, useChoice } from '../../components/form/filters.tsx'
import { Page } from '../../components/page/page.tsx'
import { Empty, QueryResult } from '../../components/page/states.tsx'
import { useCursorPages } from '../../data/cursor-pages.ts'
import { useLiveUpdates } from '../../data/live-updates.ts'
import { useGroup } from '../../nouns/group/group.ts'
import { useProject } from '../../nouns/project/project.ts'
import { ActivityEntries } from '../dashboard/activity.tsx'
import type { OverviewPlace } from './place.ts'
import { texts } from './texts.ts'

const perPage = 30

const kinds = [
  { value: '', label: texts.allActivity },
  { value: 'import', label: texts.reportsWithChanges },
  { value: 'mass_absence', label: texts.massAbsences },
  { value: 'triage', label: texts.decisions },
  { value: 'silent_scanner', label: texts.silentScanners },
] as const

/** Imports with changes, silent scanners and decisions, newest first. */
function ActivityPage({ query }: Pick<OverviewPlace, 'query'>) {
  const kind = useChoice('kind', kinds)
  const found = useCursorPages('GET /security_dashboard/activity', {
    query: { ...query, ...(kind && { kind: [kind] }), per_page: perPage },
  })
  useLiveUpdates()
  return (
    <Page title={texts.activity} lead={texts.reportsThatChangedFindings}>
      <search className="row-wrap">
        <ChoiceFilter name="kind" label={texts.kindOfActivity} choices={kinds} />
      </search>
      <QueryResult query={found}>
        {(rows) => (
          <div className="stack">
            {rows.length > 0 && <ActivityEntries entries={rows} />}
            {rows.length === 0 && !found.hasNextPage && <Empty icon={History} title={texts.noActivity} />}
            {found.hasNextPage && (
              <div>
                <Button isBusy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                  {texts.showOlder}
                </Button>
              </div>
            )}
          </div>
        )}
      </QueryResult>
    </Page>
  )
}

export function InstanceActivity() {
  return <ActivityPage query={{}} />
}

export function GroupActivity() {
  return <ActivityPage query={{ group_id: useGroup().group.id }} />
}

export function ProjectActivity() {
  return <ActivityPage query={{ project_id: [useProject().project.id] }} />
}
