import { useParams } from 'wouter'
import { useTitle } from '../../components/page/page.tsx'
import { Empty, QueryResult } from '../../components/page/states.tsx'
import { isFailure, useApiQuery } from '../../data/api.ts'
import { SaveButton } from '../../nouns/vulnerability/export-dialog.tsx'
import { texts } from './texts.ts'

/** Page of the link in a message with a scheduled report. */
export function SentReport() {
  useTitle(texts.vulnerabilityReport)
  const { id = '' } = useParams<{ id: string }>()
  const query = useApiQuery('GET /security/vulnerability_exports/{id}', { path: { id: Number(id) } })
  if (isFailure(query.error, 404) || isFailure(query.error, 403)) {
    return (
      <Empty title={texts.thisReportIsNotAvailable} isPage>
        <p>{texts.itHasExpiredBelongs}</p>
      </Empty>
    )
  }
  return (
    <QueryResult query={query}>
      {(found) => (
        <Empty title={texts.vulnerabilityReport} isPage>
          <p>{texts.openTheDownloadedFile}</p>
          <SaveButton id={found.id} filename={`vulnerabilities-${found.id}.${found.format}`} />
        </Empty>
      )}
    </QueryResult>
  )
}
