import { type ListedFinding, nameOf, placeOf, type Severity, severityOf } from '../findings.ts'
import { plain, safeJson } from '../safe-text.ts'
import type { UploadResult } from '../upload/upload-result.ts'

/** Severities of GitLab's Code Quality report. */
const codeQualitySeverities: Record<Severity, string> = {
  critical: 'blocker',
  high: 'critical',
  medium: 'major',
  low: 'minor',
  unknown: 'info',
  info: 'info',
}

/**
 * Writes a result as a Code Quality report of GitLab, which its merge requests show in every tier. It has every finding
 * that is present, because GitLab compares the reports of both branches itself.
 */
export function writeCodeQuality({ lists }: UploadResult): string {
  return `${safeJson([...lists.new, ...lists.known].map(issueOf))}\n`
}

function issueOf(finding: ListedFinding) {
  const { path, line, text } = placeOf(finding)
  return {
    description: `${nameOf(finding)}${path || !text ? '' : ` in ${text}`}`,
    check_name: plain(finding.identifiers?.[0]?.name ?? finding.report_type),
    fingerprint: finding.uuid,
    severity: codeQualitySeverities[severityOf(finding)],
    // Findings in images and URLs have no file, which the format requires.
    location: { path: path?.replace(/^(\.?\/)+/, '') || finding.report_type, lines: { begin: line ?? 1 } },
  }
}
