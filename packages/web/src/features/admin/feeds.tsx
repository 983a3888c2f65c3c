import type { Schemas } from '@alcove/client'
import { fill } from '../../components/fill.tsx'
import { formatCount } from '../../components/format.ts'
import { Panel } from '../../components/page/page.tsx'
import { QueryResult } from '../../components/page/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useApiQuery } from '../../data/api.ts'
import { texts } from './texts.ts'

type Feed = Schemas['Feed']

/** Age of the data about published vulnerabilities, and files that were rejected. */
export function Feeds() {
  const query = useApiQuery('GET /admin/feeds', {})
  return (
    <Panel title={texts.feeds}>
      <QueryResult query={query}>
        {({ feeds, rejected_files: rejected }) => (
          <>
            <Table label={texts.loadedFeeds} head={[texts.feed, texts.age, texts.rows, texts.file, texts.loaded]}>
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
              <Table label={texts.rejectedFiles} head={[texts.rejectedFile, texts.reason, texts.time]}>
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
              {fill(texts.putFilesIntoTheFolder, {
                code: <code>{'feeds'}</code>,
                code2: <code>{'alcove feeds load'}</code>,
              })}
            </p>
          </>
        )}
      </QueryResult>
    </Panel>
  )
}

const labels: Record<Feed['kind'], string> = {
  epss: texts.epssScores,
  kev: texts.knownExploitedKev,
  osv: texts.aliasesOsv,
}

function ageInWords({ loaded_at: loadedAt, age_days: days }: Feed): string {
  if (loadedAt === null) return texts.notLoaded
  return days === null ? texts.unknown : texts.day(days)
}
