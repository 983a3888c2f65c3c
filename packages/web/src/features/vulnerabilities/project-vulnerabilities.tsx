import { useMemo } from 'react'
import { useAnswer } from '../../app/api.ts'
import { mayWrite, useSession } from '../../app/session.ts'
import { Page } from '../../components/page.tsx'
import { useSearchState } from '../../components/search-state.ts'
import { Failed } from '../../components/states.tsx'
import { ExportButton } from '../exports/export-button.tsx'
import { useProject } from '../project/project.ts'
import { filterFrom, filterNames } from './filter.ts'
import type { Owner } from './owner.ts'
import { VulnerabilityList } from './vulnerability-list.tsx'

/** What scanners found in a project and people triage. */
export function ProjectVulnerabilities() {
  const session = useSession()
  const { project, level } = useProject()
  const [state] = useSearchState(filterNames)
  const mayTriage = mayWrite(session) && level >= session.triage_access_level
  const owner = useMemo((): Owner => ({ kind: 'project', id: project.id, mayTriage }), [project.id, mayTriage])
  const query = useAnswer('GET /projects/{id}/vulnerability_statistics', { path: { id: project.id } })
  return (
    <Page
      title="Vulnerabilities"
      actions={mayWrite(session) && <ExportButton owner={owner} filters={{ ...filterFrom(state) }} />}
    >
      {query.error && !query.data ? (
        <Failed error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <VulnerabilityList owner={owner} statistics={query.data} />
      )}
    </Page>
  )
}
