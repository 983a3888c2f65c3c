import { Panel } from '../../components/page.tsx'
import { Time } from '../../components/time.tsx'
import { usePage } from '../../data/api.ts'
import { useProject } from '../project/project.ts'
import { placeInWords } from './place.ts'
import styles from './place-table.module.css'

const mostShown = 20

const reasons: Record<string, string> = {
  identifier: 'the same identifier under another name',
  fingerprint: 'the fingerprint of its scanner',
  signature: 'a signature of its code',
  location: 'the same place',
  code: 'the same code at another line',
  code_elsewhere: 'the same code in another file',
  symbol: 'the only one of its rule in the same function',
  nearest: 'the nearest line of its rule in the same file',
}

/** Why what was reported elsewhere, or otherwise, is taken for the same finding. Nothing where it never moved. */
export function Matches({ findingId }: { findingId: number }) {
  const { project } = useProject()
  const { data } = usePage('GET /projects/{id}/vulnerability_findings/{finding_id}/matches', {
    path: { id: project.id, finding_id: findingId },
    query: { per_page: mostShown },
  })
  if (!data || data.rows.length === 0) return null
  return (
    <Panel title="Why it matched">
      <p className="muted small">
        A scanner told of it in another way than before; this is why it was taken for the same.
      </p>
      <ul className={styles.list}>
        {data.rows.map((match) => (
          <li key={match.id} className="stack-tight">
            <span>By {reasons[match.reason] ?? match.reason}</span>
            <span className={`muted small ${styles.ref}`}>
              {placeInWords(match.old_location)} → {placeInWords(match.new_location)} on {match.ref},{' '}
              <Time of={match.created_at} />
            </span>
          </li>
        ))}
      </ul>
      {data.hasNext && <p className="muted small">The newest {mostShown} are shown.</p>}
    </Panel>
  )
}
