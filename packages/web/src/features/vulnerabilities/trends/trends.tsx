import type { UseQueryResult } from '@tanstack/react-query'
import { severities } from '../../../components/badge.tsx'
import { fill } from '../../../components/fill.tsx'
import { formatDuration, inWords } from '../../../components/format.ts'
import type { Crumb } from '../../../components/page/breadcrumbs.tsx'
import { Page, Panel } from '../../../components/page/page.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { Time } from '../../../components/time.tsx'
import { isStale } from '../../../nouns/project/grade.tsx'
import type { Statistics } from '../filters/severity-bar.tsx'
import { texts as listTexts } from '../texts.ts'
import { texts } from './texts.ts'
import { Trend } from './trend.tsx'
import styles from './trends.module.css'

/** Trends page: grade, mean time to resolve and open vulnerabilities over time. */
export function Trends({
  query,
  crumb,
  missing,
}: {
  query: UseQueryResult<Statistics, Error>
  crumb: Crumb
  /** Returns why there is no grade. */
  missing: (statistics: Statistics) => string | undefined
}) {
  return (
    <Page title={listTexts.trends} crumbs={[crumb]}>
      <QueryResult query={query}>
        {(statistics) => (
          <div className={styles.columns}>
            <Panel title={texts.summary}>
              <Facts statistics={statistics} missing={missing(statistics)} />
            </Panel>
            <Panel title={texts.openVulnerabilitiesOverTime}>
              <Trend days={statistics.per_day} />
            </Panel>
          </div>
        )}
      </QueryResult>
    </Page>
  )
}

const gradeMeanings = {
  A: listTexts.noOpenVulnerabilities,
  B: texts.onlyLowSeverityOpen,
  C: texts.highestOpenSeverityMedium,
  D: texts.highestOpenSeverityHigh,
  F: texts.criticalVulnerabilitiesOpen,
}

function Facts({ statistics, missing }: { statistics: Statistics; missing: string | undefined }) {
  const {
    last_scan_at: lastScanAt,
    mean_time_to_resolve: mean,
    mean_time_to_resolve_by_severity: bySeverity,
  } = statistics
  // An old scan says nothing about the present.
  const isOld = isStale(lastScanAt)
  const grade = isOld ? null : statistics.letter_grade
  const times = severities.flatMap((severity) => {
    const seconds = bySeverity[severity]
    return seconds === null ? [] : [`${inWords(severity)} ${formatDuration(seconds)}`]
  })
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{texts.grade}</dt>
        <dd>
          <span className={`${styles.grade} ${grade ? styles[`grade${grade}`] : ''}`}>{grade ?? '–'}</span>
          <span className="muted small">
            {isOld && lastScanAt && fill(texts.staleLastScan, { time: <Time of={lastScanAt} /> })}
            {!isOld && (grade ? gradeMeanings[grade] : (missing ?? texts.defaultBranchNotScanned))}
          </span>
        </dd>
      </div>
      <div>
        <dt>{texts.meanTimeToResolve}</dt>
        <dd>
          <span className={styles.time}>{mean === null ? texts.noData : formatDuration(mean)}</span>
          <span className="muted small">{mean === null ? texts.noResolvedVulnerabilities : times.join(', ')}</span>
        </dd>
      </div>
    </dl>
  )
}
