import { type Fields, fieldsOf } from '../findings/fields.ts'
import {
  type DismissalReason,
  type FindingRecord,
  identifiersOf,
  type MappedFinding,
  severityOf,
  shorten,
  timeOf,
  webAddress,
} from '../findings/record.ts'
import { scannerOf } from '../findings/scanner.ts'

export type AlertKind = 'code scanning' | 'Dependabot' | 'secret scanning'

/** Returns the kind of an alert by its fields. */
export function kindOf(value: unknown): AlertKind {
  const alert = fieldsOf(value)
  if (alert.has('security_advisory')) return 'Dependabot'
  return alert.has('secret_type') ? 'secret scanning' : 'code scanning'
}

/** Maps an alert. `locations` are those of a secret. */
export function mapAlert(value: unknown, kind: AlertKind, locations: readonly unknown[]): MappedFinding {
  const alert = fieldsOf(value)
  const number = alert.number('number') ?? 0
  const id = `${kind} ${number}`
  const reason = alert.text('dismissed_reason') ?? alert.text('resolution')
  const state = alert.text('state') ?? 'open'
  const { decision, notes } = decisionOf(alert, kind)
  const at = alert.text('dismissed_at') ?? alert.text('fixed_at') ?? alert.text('resolved_at')
  const by = alert.text('dismissed_by', 'login') ?? alert.text('resolved_by', 'login')
  const record: FindingRecord = {
    id,
    url: webAddress(alert.text('html_url')),
    ...contentOf[kind](alert, locations),
    ...decision,
    comment: alert.text('dismissed_comment') ?? alert.text('resolution_comment'),
    ...(decision.state !== 'detected' && { decided_at: timeOf(at), decided_by: by }),
    assignee: alert.list('assignees')[0]?.text('login') ?? alert.text('assigned_to', 'login'),
    detected_at: timeOf(alert.text('created_at')),
  }
  return { id, status: `${kind}: ${[state, reason].filter(Boolean).join(', ')}`, record, notes }
}

type Content = Pick<
  FindingRecord,
  'name' | 'description' | 'severity' | 'report_type' | 'scanner' | 'identifiers' | 'location' | 'package_url'
>

const contentOf: Record<AlertKind, (alert: Fields, locations: readonly unknown[]) => Content> = {
  'code scanning'(alert) {
    const rule = alert.at('rule')
    const location = alert.at('most_recent_instance', 'location')
    const line = location.number('start_line') ?? 0
    const end = location.number('end_line') ?? line
    return {
      name: shorten(rule.text('description') ?? rule.text('name') ?? rule.text('id') ?? 'Alert'),
      description: rule.text('full_description') ?? alert.text('most_recent_instance', 'message', 'text'),
      severity: severityOf(rule.text('security_severity_level') ?? rule.text('severity')),
      report_type: 'sast',
      scanner: scannerOf(alert.text('tool', 'name') ?? 'code scanning', 'GitHub'),
      identifiers: identifiersOf([rule.text('id'), rule.text('name')]),
      location: { file: location.text('path'), ...(line > 0 && { start_line: line, end_line: end }) },
    }
  },
  Dependabot(alert) {
    const advisory = alert.at('security_advisory')
    const name = alert.text('dependency', 'package', 'name') ?? 'unknown'
    return {
      name: shorten(advisory.text('summary') ?? 'Alert'),
      description: advisory.text('description'),
      severity: severityOf(alert.text('security_vulnerability', 'severity') ?? advisory.text('severity')),
      report_type: 'dependency_scanning',
      scanner: scannerOf('Dependabot', 'GitHub'),
      identifiers: identifiersOf([advisory.text('cve_id'), advisory.text('ghsa_id')]),
      location: { file: alert.text('dependency', 'manifest_path'), dependency: { package: { name } } },
      package_url: packageUrlOf(alert.text('dependency', 'package', 'ecosystem'), name),
    }
  },
  'secret scanning'(alert, locations) {
    const commit = locations.map(fieldsOf).find((one) => one.text('type') === 'commit')
    const details = commit?.at('details') ?? alert.at('first_location_detected')
    const line = details.number('start_line') ?? 0
    return {
      name: shorten(alert.text('secret_type_display_name') ?? alert.text('secret_type') ?? 'Secret'),
      description: undefined,
      severity: 'critical',
      report_type: 'secret_detection',
      scanner: scannerOf('secret scanning', 'GitHub'),
      identifiers: identifiersOf([alert.text('secret_type')]),
      location: { file: details.text('path'), ...(line > 0 && { start_line: line, end_line: line }) },
    }
  },
}

/** Types of package URLs by the ecosystems of GitHub. */
const types: Readonly<Record<string, string>> = {
  npm: 'npm',
  pip: 'pypi',
  maven: 'maven',
  nuget: 'nuget',
  composer: 'composer',
  rubygems: 'gem',
  rust: 'cargo',
  go: 'golang',
  pub: 'pub',
}

function packageUrlOf(ecosystem: string | undefined, name: string): string | undefined {
  const type = types[ecosystem ?? '']
  return type && `pkg:${type}/${name.replace(':', '/').split('/').map(encodeURIComponent).join('/')}`
}

const reasons: Readonly<Record<string, DismissalReason>> = {
  'false positive': 'false_positive',
  "won't fix": 'acceptable_risk',
  'used in tests': 'used_in_tests',
  inaccurate: 'false_positive',
  no_bandwidth: 'acceptable_risk',
  not_used: 'not_applicable',
  tolerable_risk: 'acceptable_risk',
  false_positive: 'false_positive',
  wont_fix: 'acceptable_risk',
  used_in_tests: 'used_in_tests',
}

type Decision = Pick<FindingRecord, 'state' | 'dismissal_reason'>

function decisionOf(alert: Fields, kind: AlertKind): { decision: Decision; notes: string[] } {
  const state = alert.text('state')
  const reason = alert.text('dismissed_reason') ?? alert.text('resolution')
  const dismissed: Decision = {
    state: 'dismissed',
    ...(reason && reasons[reason] && { dismissal_reason: reasons[reason] }),
  }
  const alternative = [...(reason && !reasons[reason] ? [`“${reason}” has no counterpart: has no reason`] : [])]
  if (state === 'fixed') return { decision: { state: 'resolved' }, notes: [] }
  if (state === 'auto_dismissed') {
    return { decision: { state: 'dismissed' }, notes: ['dismissed by a rule of Dependabot: has no reason'] }
  }
  if (state === 'dismissed') {
    // Work on a fix is no reason to dismiss.
    if (reason !== 'fix_started') return { decision: dismissed, notes: alternative }
    return { decision: { state: 'confirmed' }, notes: ['“fix_started” has no counterpart: is confirmed'] }
  }
  if (kind !== 'secret scanning' || state !== 'resolved') return { decision: { state: 'detected' }, notes: [] }
  if (reason === 'revoked') return { decision: { state: 'resolved' }, notes: [] }
  return { decision: dismissed, notes: alternative }
}
