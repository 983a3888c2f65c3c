import type { Schemas } from '@alcove/client'
import { SeverityBadge } from '../../components/badge.tsx'
import { fill } from '../../components/fill.tsx'
import { formatCount } from '../../components/format.ts'
import { Panel } from '../../components/page/page.tsx'
import { placeInWords } from '../../nouns/finding/place.ts'
import { FileEffect } from './file-effect.tsx'
import styles from './outcome.module.css'
import { texts } from './texts.ts'

type Import = Schemas['Import']
type Sample = Schemas['FindingSample']

const tiles: readonly (readonly [name: keyof Import['findings'], label: string, hint: string])[] = [
  ['new', texts.newLabel, texts.firstDetectedByThisReport],
  ['known', texts.unchanged, texts.stillDetected],
  ['gone', texts.noLongerDetected, texts.notInThisReport],
  ['returned', texts.redetected, texts.detectedAgainAfterBeing],
  ['moved', texts.moved, texts.matchedAtAnotherLocation],
  ['changed', texts.changed, texts.detailsChanged],
  ['promoted', texts.vulnerabilities, texts.createdFromFindings],
]

/** Changes of an import or a dry run. */
export function Outcome({ report }: { report: Import }) {
  const { findings, samples } = report
  return (
    <>
      <ul className={styles.tiles} aria-label={report.dry_run ? texts.previewOfChanges : texts.changes}>
        {tiles.map(([name, label, hint]) => (
          <li key={name} className={`${styles.tile} ${findings[name] === 0 ? styles.zero : ''}`} title={hint}>
            <span className={styles.count}>{formatCount(findings[name])}</span>
            <span>{label}</span>
          </li>
        ))}
      </ul>
      <p className="muted">
        {fill(texts.read, {
          read: texts.entries(findings.read),
          merged: findings.merged > 0 && texts.mergedAsDuplicates(formatCount(findings.merged)),
          skipped: findings.skipped > 0 && texts.skipped(formatCount(findings.skipped)),
        })}
      </p>
      <Problems title={texts.errors} problems={report.errors} />
      <Skipped skipped={report.skipped} count={findings.skipped} />
      <Problems title={texts.warnings} problems={report.warnings} />
      {report.project_files.map((file) => (
        <FileEffect key={file.path} file={file} isDryRun={report.dry_run} />
      ))}
      <Samples title={texts.newLabel} samples={samples.new} count={findings.new} />
      <Samples title={texts.noLongerDetected} samples={samples.gone} count={findings.gone} />
      <Samples title={texts.redetected} samples={samples.returned} count={findings.returned} />
      <Samples title={texts.moved} samples={samples.moved} count={findings.moved} />
      <Samples title={texts.changed} samples={samples.changed} count={findings.changed} />
    </>
  )
}

function Problems({ title, problems }: { title: string; problems: Import['warnings'] }) {
  if (problems.length === 0) return null
  return (
    <Panel title={`${title} (${formatCount(problems.length)})`}>
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
    <Panel title={texts.skippedCount(formatCount(count))}>
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
    <Panel title={`${title}: ${texts.finding(count)}`}>
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
      {count > samples.length && <p className="muted small">{texts.andMore(formatCount(count - samples.length))}</p>}
    </Panel>
  )
}
