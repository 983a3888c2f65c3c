import { type Fields, fieldsOf } from '../findings/fields.ts'
import {
  dayOf,
  type FindingRecord,
  identifiersOf,
  type MappedFinding,
  severityOf,
  shorten,
  timeOf,
  webAddress,
} from '../findings/record.ts'
import { scannerOf } from '../findings/scanner.ts'

/** Maps an observation with its logs, oldest first. `url` is the address of the server. */
export function mapObservation(value: unknown, logs: readonly Fields[], url: string | undefined): MappedFinding {
  const observation = fieldsOf(value)
  const id = observation.word('id') ?? ''
  const status = observation.text('current_status') ?? 'Open'
  const decision = decisions[status.toLowerCase()]
  if (status === 'Duplicate') {
    return { id, status, record: undefined, notes: ['a duplicate has no counterpart: its original is imported'] }
  }
  const aliases = observation.list('vulnerability_id_aliases').map((one) => one.text('alias'))
  const cwe = observation.number('cwe') ?? 0
  const deciding = logs.findLast((log) => log.text('status') === status)
  const issue = webAddress(observation.text('issue_tracker_issue_url'))
  const parser = observation.text('parser_data', 'name')
  const record: FindingRecord = {
    id,
    url: url && webAddress(`${url}/#/observations/${id}/show`),
    name: shorten(observation.text('title') ?? `Observation ${id}`),
    description: observation.text('description'),
    solution: observation.text('recommendation'),
    severity: severityOf(observation.text('current_severity')),
    report_type: reportTypeOf(observation),
    scanner: scannerOf(observation.text('scanner') ?? parser ?? 'unknown tool', 'SecObserve'),
    identifiers: identifiersOf([
      observation.text('vulnerability_id'),
      ...aliases,
      observation.text('scanner_observation_id'),
      ...(cwe > 0 ? [`CWE-${cwe}`] : []),
    ]),
    location: locationOf(observation),
    package_url: observation.text('origin_component_purl'),
    ...(decision ?? { state: 'detected' }),
    ...(decision?.state === 'dismissed' && {
      dismissed_until: dayOf(observation.text('risk_acceptance_expiry_date')),
    }),
    ...(decision && decision.state !== 'detected' && deciding && signature(deciding)),
    comments: logs
      .filter((log) => log !== deciding)
      .flatMap((log) => {
        const { comment: body, decided_by: author, decided_at: created_at } = signature(log)
        return body ? [{ body, author, created_at }] : []
      }),
    links: issue ? [{ url: issue, title: observation.text('issue_tracker_issue_id') }] : [],
    detected_at: timeOf(observation.text('created')),
  }
  return { id, status, record, notes: notesOf(observation, status) }
}

const signature = (log: Fields) => ({
  comment: log.text('comment'),
  decided_by: log.text('user_data', 'username') ?? log.text('user_full_name'),
  decided_at: timeOf(log.text('created')),
})

/** Statuses of SecObserve, in lower case, and what they are in Alcove. */
const decisions: Readonly<Record<string, Pick<FindingRecord, 'state' | 'dismissal_reason'>>> = {
  open: { state: 'detected' },
  affected: { state: 'confirmed' },
  'in review': { state: 'detected' },
  resolved: { state: 'resolved' },
  'false positive': { state: 'dismissed', dismissal_reason: 'false_positive' },
  'not affected': { state: 'dismissed', dismissal_reason: 'not_applicable' },
  'not security': { state: 'dismissed', dismissal_reason: 'not_applicable' },
  'risk accepted': { state: 'dismissed', dismissal_reason: 'acceptable_risk' },
}

function notesOf(observation: Fields, status: string): string[] {
  const notes = [
    ...(decisions[status.toLowerCase()] ? [] : [`“${status}” has no counterpart: is detected`]),
    ...(status === 'In review' ? ['“In review” has no counterpart: is detected'] : []),
    ...(status === 'Not security' ? ['“Not security” has no counterpart: is dismissed as not applicable'] : []),
    ...(observation.has('assessment_needs_approval') ? ['an assessment that awaits approval is not imported'] : []),
    ...(observation.has('branch') ? ['the branch has no counterpart: findings belong to the default branch'] : []),
    ...(observation.text('current_vex_justification') ? ['the VEX justification has no counterpart'] : []),
  ]
  return notes
}

function locationOf(observation: Fields): object {
  const file = observation.text('origin_source_file')
  const image = observation.text('origin_docker_image_name_tag') ?? observation.text('origin_docker_image_name')
  const name = observation.text('origin_component_name')
  const line = observation.number('origin_source_line_start') ?? 0
  const end = observation.number('origin_source_line_end') ?? line
  if (name) {
    const version = observation.text('origin_component_version')
    const place = image ? { image } : file ? { file } : {}
    return { ...place, dependency: { package: { name }, ...(version && { version }) } }
  }
  if (file) return { file, ...(line > 0 && { start_line: line, end_line: end }) }
  const endpoint = webAddress(observation.text('origin_endpoint_url'))
  if (!endpoint) return {}
  const { origin, pathname } = new URL(endpoint)
  return { hostname: origin, path: pathname }
}

function reportTypeOf(observation: Fields): string {
  if (observation.text('origin_component_name')) {
    return observation.text('origin_docker_image_name') ? 'container_scanning' : 'dependency_scanning'
  }
  if (observation.text('parser_data', 'type') === 'Secrets') return 'secret_detection'
  if (observation.text('origin_source_file')) return 'sast'
  return observation.text('origin_endpoint_url') ? 'dast' : 'generic'
}
