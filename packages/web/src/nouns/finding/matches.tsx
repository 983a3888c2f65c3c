import { Panel } from '../../components/page/page.tsx'
import { Time } from '../../components/time.tsx'
import { usePage } from '../../data/api.ts'
import { useProject } from '../project/project.ts'
import { placeInWords } from './place.ts'
import styles from './place-table.module.css'

const maxShown = 20

const reasons: Record<string, string> = {
  identifier: 'same identifier under another name',
  fingerprint: 'same scanner fingerprint',
  signature: 'same code signature',
  location: 'same location',
  code: 'same code on another line',
  code_elsewhere: 'same code in another file',
  symbol: 'only result of this rule in the function',
  nearest: 'nearest result of this rule in the file',
  imported: 'imported from another product',
}

/** Explains why results at other locations were matched to this finding. Renders nothing if it never moved. */
export function Matches({ findingId }: { findingId: number }) {
  const { project } = useProject()
  const { data } = usePage('GET /projects/{id}/vulnerability_findings/{finding_id}/matches', {
    path: { id: project.id, finding_id: findingId },
    query: { per_page: maxShown },
  })
  if (!data || data.rows.length === 0) return null
  return (
    <Panel title="Match history">
      <p className="muted small">
        A scanner reported this finding differently than before. It was matched for these reasons.
      </p>
      <ul className={styles.list}>
        {data.rows.map((match) => (
          <li key={match.id} className="stack-tight">
            <span>Matched because: {reasons[match.reason] ?? match.reason}</span>
            <span className={`muted small ${styles.ref}`}>
              {placeInWords(match.old_location)} → {placeInWords(match.new_location)} on {match.ref},{' '}
              <Time of={match.created_at} />
            </span>
          </li>
        ))}
      </ul>
      {data.hasNext && <p className="muted small">Showing the newest {maxShown}.</p>}
    </Panel>
  )
}
