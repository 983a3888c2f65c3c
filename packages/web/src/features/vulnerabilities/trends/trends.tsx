import type { UseQueryResult } from '@tanstack/react-query'
import { fill } from '../../../components/fill.tsx'
import { formatDuration } from '../../../components/format.ts'
import type { Crumb } from '../../../components/page/breadcrumbs.tsx'
import { Page, Panel } from '../../../components/page/page.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { Time } from '../../../components/time.tsx'
import { isStale } from '../../../nouns/project/grade.tsx'
import type { Statistics } from '../filters/severity-bar.tsx'
import { texts as listTexts } from '../texts.ts'
import { BySeverity } from './by-severity.tsx'
import { texts } from './texts.ts'
import { Trend } from './trend.tsx'
import styles from './trends.module.css'

/** Trends page: grade, mean time to resolve, open vulnerabilities over time, and numbers for each severity. */
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
            <div className={styles.wide}>
              <Panel title={texts.bySeverity}>
                <BySeverity statistics={statistics} list={crumb.to} />
              </Panel>
            </div>
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
  const { last_scan_at: lastScanAt, mean_time_to_resolve: mean } = statistics
  // An old scan says nothing about the present.
  const isOld = isStale(lastScanAt)
  const grade = isOld ? null : statistics.letter_grade
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
          {mean === null && <span className="muted small">{texts.noResolvedVulnerabilities}</span>}
        </dd>
      </div>
    </dl>
  )
}
