import { useApiQuery } from '../../../data/api.ts'
import { useIsScanned, useTriageBacklog } from '../../../nouns/finding/triage-backlog.ts'
import { useProject } from '../../../nouns/project/project.ts'
import { texts } from '../texts.ts'
import { Trends } from './trends.tsx'

/** Trends of a project. A grade requires a scan and no findings that await triage. */
export function ProjectTrends() {
  const { project, to } = useProject()
  const query = useApiQuery('GET /projects/{id}/vulnerability_statistics', { path: { id: project.id } })
  const backlog = useTriageBacklog(project.id)
  const isScanned = useIsScanned(project.id)
  const missing = backlog ?? (isScanned === undefined ? texts.loading : isScanned ? undefined : texts.notScanned)
  return (
    <Trends query={query} crumb={{ label: texts.vulnerabilities, to: to('vulnerabilities') }} missing={() => missing} />
  )
}
