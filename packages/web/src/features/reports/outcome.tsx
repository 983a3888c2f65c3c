import type { Schemas } from '@alcove/client'
import { SeverityBadge } from '../../components/badge.tsx'
import { counted, formatCount } from '../../components/format.ts'
import { Panel } from '../../components/page/page.tsx'
import { placeInWords } from '../../nouns/finding/place.ts'
import { FileEffect } from './file-effect.tsx'
import styles from './outcome.module.css'

type Import = Schemas['Import']
type Sample = Schemas['FindingSample']

const tiles: readonly (readonly [name: keyof Import['findings'], label: string, hint: string])[] = [
  ['new', 'New', 'first detected by this report'],
  ['known', 'Unchanged', 'still detected'],
  ['gone', 'No longer detected', 'not in this report anymore'],
  ['returned', 'Redetected', 'detected again after being absent'],
  ['moved', 'Moved', 'matched at another location'],
  ['changed', 'Changed', 'details changed'],
  ['promoted', 'Vulnerabilities', 'created from findings'],
]

/** Changes of an import or a dry run. */
export function Outcome({ report }: { report: Import }) {
  const { findings, samples } = report
  return (
    <>
      <ul className={styles.tiles} aria-label={report.dry_run ? 'Preview of changes' : 'Changes'}>
        {tiles.map(([name, label, hint]) => (
          <li key={name} className={`${styles.tile} ${findings[name] === 0 ? styles.zero : ''}`} title={hint}>
            <span className={styles.count}>{formatCount(findings[name])}</span>
            <span>{label}</span>
          </li>
        ))}
      </ul>
      <p className="muted">
        {counted(findings.read, 'entry', 'entries')} read
        {findings.merged > 0 && `, ${formatCount(findings.merged)} merged as duplicates`}
        {findings.skipped > 0 && `, ${formatCount(findings.skipped)} skipped`}.
      </p>
      <Problems title="Errors" problems={report.errors} />
      <Skipped skipped={report.skipped} count={findings.skipped} />
      <Problems title="Warnings" problems={report.warnings} />
      {report.project_files.map((file) => (
        <FileEffect key={file.path} file={file} isDryRun={report.dry_run} />
      ))}
      <Samples title="New" samples={samples.new} count={findings.new} />
      <Samples title="No longer detected" samples={samples.gone} count={findings.gone} />
      <Samples title="Redetected" samples={samples.returned} count={findings.returned} />
      <Samples title="Moved" samples={samples.moved} count={findings.moved} />
      <Samples title="Changed" samples={samples.changed} count={findings.changed} />
    </>
  )
}

function Problems({ title, problems }: { title: string; problems: Import['warnings'] }) {
  if (problems.length === 0) return null
  return (
    <Panel title={`${title} (${problems.length})`}>
      <ul className={styles.list}>
        {problems.map(({ message, pointer }) => (
          <li key={pointer + message}>
            {message} {pointer && <code className="muted">{pointer}</code>}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Skipped({ skipped, count }: { skipped: Import['skipped']; count: number }) {
  if (count === 0) return null
  return (
    <Panel title={`Skipped (${formatCount(count)})`}>
      <ul className={styles.list}>
        {skipped.map(({ pointer, reason }) => (
          <li key={pointer + reason}>
            {reason} <code className="muted">{pointer}</code>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Samples({ title, samples, count }: { title: string; samples: readonly Sample[]; count: number }) {
  if (samples.length === 0) return null
  return (
    <Panel title={`${title}: ${counted(count, 'finding')}`}>
      <ul className={styles.list}>
        {samples.map((sample) => (
          <li key={sample.uuid} className={styles.sample}>
            <SeverityBadge severity={sample.severity} />
            <span>
              {sample.name} <span className="muted small">{placeInWords(sample.location)}</span>
            </span>
          </li>
        ))}
      </ul>
      {count > samples.length && <p className="muted small">… and {formatCount(count - samples.length)} more.</p>}
    </Panel>
  )
}
