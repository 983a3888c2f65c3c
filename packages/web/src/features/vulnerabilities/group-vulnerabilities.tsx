import { useMemo } from 'react'
import { useAnswer } from '../../app/api.ts'
import { levels, mayWrite, useSession } from '../../app/session.ts'
import { counted } from '../../components/format.ts'
import { Page } from '../../components/page.tsx'
import { useSearchState } from '../../components/search-state.ts'
import { Failed } from '../../components/states.tsx'
import { ExportButton } from '../exports/export-button.tsx'
import { useGroup } from '../group/group.ts'
import { filterFrom, filterNames } from './filter.ts'
import type { Owner } from './owner.ts'
import { VulnerabilityList } from './vulnerability-list.tsx'

/** Those of all projects in a group and below it, as far as the caller may read them. */
export function GroupVulnerabilities() {
  const session = useSession()
  const { group, level } = useGroup()
  const [state] = useSearchState(filterNames)
  const mayTriage = mayWrite(session) && level >= session.triage_access_level
  const owner = useMemo((): Owner => ({ kind: 'group', id: group.id, mayTriage }), [group.id, mayTriage])
  const query = useAnswer('GET /groups/{id}/vulnerability_statistics', { path: { id: group.id } })
  return (
    <Page
      title="Vulnerabilities"
      lead={query.data && `In ${counted(query.data.projects, 'project')} whose vulnerabilities you may read.`}
      actions={
        mayWrite(session) &&
        level >= levels.developer && <ExportButton owner={owner} filters={{ ...filterFrom(state) }} />
      }
    >
      {query.error && !query.data ? (
        <Failed error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <VulnerabilityList owner={owner} statistics={query.data} />
      )}
    </Page>
  )
}
