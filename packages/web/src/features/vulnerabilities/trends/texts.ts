import { counted } from '../../../components/format.ts'

/** Texts of the UI. */
export const texts = {
  last30Days: 'Last 30 days',
  last90Days: 'Last 90 days',
  lastYear: 'Last year',
  openVulnerabilitiesPerDay: 'Open vulnerabilities per day',
  period: 'Period',
  showAsTable: 'Show as table',
  day: 'Day',
  total: 'Total',
  dayOfTheChart: 'Day in the chart',
  openDaysAgoNow: (firstTotal: string, count: number, lastTotal: string, max: string) =>
    `${firstTotal} open ${counted(count, 'day')} ago, ${lastTotal} now, maximum ${max}.`,
  summary: 'Summary',
  openVulnerabilitiesOverTime: 'Open vulnerabilities over time',
  onlyLowSeverityOpen: 'Only low severity open',
  highestOpenSeverityMedium: 'Highest open severity: medium',
  highestOpenSeverityHigh: 'Highest open severity: high or unknown',
  criticalVulnerabilitiesOpen: 'Critical vulnerabilities open',
  grade: 'Grade',
  staleLastScan: 'Stale: last scan {time}',
  defaultBranchNotScanned: 'Default branch not scanned',
  meanTimeToResolve: 'Mean time to resolve',
  noData: 'No data',
  noResolvedVulnerabilities: 'No resolved vulnerabilities',
  noVulnerabilitiesRecorded: 'No vulnerabilities recorded',
}
