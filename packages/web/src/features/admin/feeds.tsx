import type { Schemas } from '@alcove/client'
import { counted, formatCount } from '../../components/format.ts'
import { Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useApiQuery } from '../../data/api.ts'

type Feed = Schemas['Feed']

/** Age of the data about published vulnerabilities, and files that were rejected. */
export function Feeds() {
  const query = useApiQuery('GET /admin/feeds', {})
  return (
    <Panel title="Feeds">
      <QueryResult query={query}>
        {({ feeds, rejected_files: rejected }) => (
          <>
            <Table label="Loaded feeds" head={['Feed', 'Age', 'Rows', 'File', 'Loaded']}>
              {feeds.map((feed) => (
                <tr key={feed.kind}>
                  <td>{labels[feed.kind]}</td>
                  <td>{ageInWords(feed)}</td>
                  <td>{formatCount(feed.rows)}</td>
                  <td>{feed.file}</td>
                  <td className="muted">{feed.loaded_at && <Time of={feed.loaded_at} />}</td>
                </tr>
              ))}
            </Table>
            {rejected.length > 0 && (
              <Table label="Rejected files" head={['Rejected file', 'Reason', 'Time']}>
                {rejected.map((file) => (
                  <tr key={file.file + file.rejected_at}>
                    <td>{file.file}</td>
                    <td>{file.error}</td>
                    <td className="muted">
                      <Time of={file.rejected_at} />
                    </td>
                  </tr>
                ))}
              </Table>
            )}
            <p className="muted small">
              Put files into the folder <code>feeds</code> of the data folder, or use <code>alcove feeds load</code>.
              Nothing is downloaded.
            </p>
          </>
        )}
      </QueryResult>
    </Panel>
  )
}

const labels: Record<Feed['kind'], string> = {
  epss: 'EPSS scores',
  kev: 'Known exploited (KEV)',
  osv: 'Aliases (OSV)',
}

function ageInWords({ loaded_at: loadedAt, age_days: days }: Feed): string {
  if (loadedAt === null) return 'Not loaded'
  return days === null ? 'Unknown' : counted(days, 'day')
}
