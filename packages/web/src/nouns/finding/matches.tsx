import { fill } from '../../components/fill.tsx'
import { Panel } from '../../components/page/page.tsx'
import { Time } from '../../components/time.tsx'
import { usePage } from '../../data/api.ts'
import { useProject } from '../project/project.ts'
import { placeInWords } from './place.ts'
import styles from './place-table.module.css'
import { texts } from './texts.ts'

const maxShown = 20

const reasons: Record<string, string> = {
  identifier: texts.sameIdentifierUnderAnother,
  fingerprint: texts.sameScannerFingerprint,
  signature: texts.sameCodeSignature,
  location: texts.sameLocation,
  code: texts.sameCodeOnAnother,
  code_elsewhere: texts.sameCodeInAnother,
  symbol: texts.onlyResultOfThisRule,
  nearest: texts.nearestResultOfThisRule,
  imported: texts.importedFromAnotherProduct,
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
    <Panel title={texts.matchHistory}>
      <p className="muted small">{texts.aScannerReportedThisFinding}</p>
      <ul className={styles.list}>
        {data.rows.map((match) => (
          <li key={match.id} className="stack-tight">
            <span>{texts.matchedBecause(reasons[match.reason] ?? match.reason)}</span>
            <span className={`muted small ${styles.ref}`}>
              {fill(texts.on, {
                oldLocation: placeInWords(match.old_location),
                newLocation: placeInWords(match.new_location),
                ref: match.ref,
                time: <Time of={match.created_at} />,
              })}
            </span>
          </li>
        ))}
      </ul>
      {data.hasNext && <p className="muted small">{texts.showingTheNewest(maxShown)}</p>}
    </Panel>
  )
}
