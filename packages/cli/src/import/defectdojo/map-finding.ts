import { type Fields, fieldsOf } from '../findings/fields.ts'
import {
  dayOf,
  type FindingRecord,
  identifiersOf,
  type MappedFinding,
  severityOf,
  shorten,
  tagsOf,
  timeOf,
  webAddress,
} from '../findings/record.ts'
import { scannerOf } from '../findings/scanner.ts'

/** Maps a finding of DefectDojo's API v2. `url` is the address of the server. */
export function mapFinding(value: unknown, url: string | undefined): MappedFinding {
  const finding = fieldsOf(value)
  const id = finding.word('id') ?? ''
  const title = finding.text('title') ?? `Finding ${id}`
  const status = statusOf(finding)
  if (status === 'duplicate') {
    return {
      id,
      status,
      record: undefined,
      notes: ['a duplicate has no counterpart: its original finding is imported'],
    }
  }
  const accepted = finding.list('accepted_risks')
  const risk = accepted.at(-1)
  const test = finding.at('related_fields', 'test')
  const tool = test.text('test_type', 'name') ?? test.text('title') ?? 'unknown tool'
  const notes = finding.list('notes')
  const isPrivate = (note: Fields) => note.flag('private')
  const jira = finding.at('related_fields', 'jira')
  const link = webAddress(jira.text('url')) ?? webAddress(jira.text('jira_url'))
  const ids = [
    ...finding.list('vulnerability_ids').map((one) => one.text('vulnerability_id')),
    finding.text('cve'),
    finding.text('vuln_id_from_tool'),
  ]
  const cwe = finding.number('cwe') ?? 0
  const record: FindingRecord = {
    id,
    url: url && webAddress(`${url}/finding/${id}`),
    name: shorten(title),
    description: finding.text('description'),
    solution: finding.text('mitigation'),
    severity: severityOf(finding.text('severity')),
    report_type: reportTypeOf(finding, tool),
    scanner: scannerOf(tool, 'DefectDojo'),
    identifiers: identifiersOf([...ids, ...(cwe > 0 ? [`CWE-${cwe}`] : [])]),
    location: locationOf(finding),
    ...states[status],
    ...decisionOf(finding, status, risk),
    comments: notes
      .filter((note) => !isPrivate(note))
      .flatMap((note) => {
        const body = note.text('entry')
        const author = note.text('author', 'username')
        return body ? [{ body, author, created_at: timeOf(note.text('date')) }] : []
      }),
    tags: tagsOf(finding.texts('tags')),
    links: link ? [{ url: link, title: jira.text('jira_key') }] : [],
    detected_at: timeOf(finding.text('created') ?? finding.text('date')),
  }
  return { id, status, record, notes: notesOf(finding, notes.filter(isPrivate).length) }
}

type Status = keyof typeof states | 'duplicate'

/** Statuses of DefectDojo, and what they are in Alcove. */
const states = {
  'false positive': { state: 'dismissed', dismissal_reason: 'false_positive' },
  'out of scope': { state: 'dismissed', dismissal_reason: 'not_applicable' },
  'risk accepted': { state: 'dismissed', dismissal_reason: 'acceptable_risk' },
  mitigated: { state: 'resolved' },
  'active, verified': { state: 'confirmed' },
  active: { state: 'detected' },
  'under review': { state: 'detected' },
  inactive: { state: 'resolved' },
} as const

function statusOf(finding: Fields): Status {
  if (finding.flag('duplicate')) return 'duplicate'
  if (finding.flag('false_p')) return 'false positive'
  if (finding.flag('out_of_scope')) return 'out of scope'
  if (finding.flag('risk_accepted')) return 'risk accepted'
  if (finding.flag('is_mitigated')) return 'mitigated'
  if (finding.flag('under_review')) return 'under review'
  if (finding.flag('active')) return finding.flag('verified') ? 'active, verified' : 'active'
  return 'inactive'
}

function decisionOf(finding: Fields, status: Status, risk: Fields | undefined): Partial<FindingRecord> {
  if (status === 'risk accepted' && risk) {
    const details = [risk.text('name'), risk.text('decision_details') ?? risk.text('recommendation_details')]
    return {
      dismissed_until: dayOf(risk.text('expiration_date')),
      comment: details.filter(Boolean).join('\n\n') || undefined,
      decided_at: timeOf(risk.text('created')),
      decided_by: risk.text('accepted_by'),
    }
  }
  if (status === 'mitigated') return { decided_at: timeOf(finding.text('mitigated')) }
  if (status === 'active' || status === 'under review') return {}
  return { decided_at: timeOf(finding.text('last_status_update')) }
}

function notesOf(finding: Fields, privateNotes: number): string[] {
  const unverified = !finding.flag('verified') && finding.flag('active') ? ['not verified: is detected'] : []
  return [
    ...(finding.flag('under_review') ? ['a review that is requested has no counterpart'] : unverified),
    ...(finding.list('endpoints').length > 0 ? ['endpoints have no counterpart'] : []),
    ...(privateNotes > 0 ? ['private notes are not imported, because every developer would see them'] : []),
    ...(finding.list('files').length > 0 ? ['attached files are not imported'] : []),
    ...(finding.list('finding_groups').length > 0 ? ['groups of findings have no counterpart'] : []),
  ]
}

function locationOf(finding: Fields): object {
  const file = finding.text('file_path')
  const line = finding.number('line') ?? 0
  const name = finding.text('component_name')
  if (name) {
    const version = finding.text('component_version')
    return { ...(file && { file }), dependency: { package: { name }, ...(version && { version }) } }
  }
  return file ? { file, ...(line > 0 && { start_line: line }) } : {}
}

function reportTypeOf(finding: Fields, tool: string): string {
  if (finding.text('component_name')) return 'dependency_scanning'
  if (/gitleaks|trufflehog|detect-secrets|secret/i.test(tool)) return 'secret_detection'
  if (finding.text('file_path')) return 'sast'
  return finding.flag('dynamic_finding') ? 'dast' : 'generic'
}
