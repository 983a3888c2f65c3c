import { useParams } from 'wouter'
import { useTitle } from '../../components/page/page.tsx'
import { Empty, QueryResult } from '../../components/page/states.tsx'
import { isFailure, useApiQuery } from '../../data/api.ts'
import { SaveButton } from '../../nouns/vulnerability/export-dialog.tsx'

/** Page of the link in a message with a scheduled report. */
export function SentReport() {
  useTitle('Vulnerability report')
  const { id = '' } = useParams<{ id: string }>()
  const query = useApiQuery('GET /security/vulnerability_exports/{id}', { path: { id: Number(id) } })
  if (isFailure(query.error, 404) || isFailure(query.error, 403)) {
    return (
      <Empty title="This report is not available" isPage>
        <p>It has expired, belongs to another user, or contains projects that you may no longer read.</p>
      </Empty>
    )
  }
  return (
    <QueryResult query={query}>
      {(found) => (
        <Empty title="Vulnerability report" isPage>
          <p>Open the downloaded file in a browser.</p>
          <SaveButton id={found.id} filename={`vulnerabilities-${found.id}.${found.format}`} />
        </Empty>
      )}
    </QueryResult>
  )
}
