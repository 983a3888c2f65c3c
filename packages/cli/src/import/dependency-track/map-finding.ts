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

/** Maps a finding of Dependency-Track with its analysis. `url` is the address of the server. */
export function mapFinding(value: unknown, analysis: Fields, url: string | undefined): MappedFinding {
  const finding = fieldsOf(value)
  const component = finding.at('component')
  const vulnerability = finding.at('vulnerability')
  const vulnId = vulnerability.text('vulnId') ?? 'unknown'
  const id = `${component.text('uuid') ?? component.text('purl') ?? component.text('name')} ${vulnerability.text('uuid') ?? vulnId}`
  const state = analysis.text('analysisState') ?? analysis.text('state') ?? 'NOT_SET'
  const isSuppressed = analysis.flag('isSuppressed')
  const name = component.text('name') ?? 'unknown'
  const group = component.text('group')
  const version = component.text('version')
  const aliases = vulnerability.list('aliases').flatMap((alias) => [alias.text('cveId'), alias.text('ghsaId')])
  const comments = analysis.list('analysisComments').flatMap((comment) => {
    const body = comment.text('comment')
    const created_at = timeOf(comment.number('timestamp') ?? comment.text('timestamp'))
    return body ? [{ body, author: comment.text('commenter'), created_at }] : []
  })
  const last = comments.at(-1)
  const project = component.text('project')
  const decision = decisionOf(state, isSuppressed, analysis.text('analysisJustification'))
  const record: FindingRecord = {
    id,
    url: url && project ? webAddress(`${url}/projects/${project}/findings`) : undefined,
    name: shorten(vulnerability.text('title') ?? `${vulnId} in ${name}`),
    description: vulnerability.text('description'),
    solution: vulnerability.text('recommendation'),
    severity: severityOf(vulnerability.text('severity')),
    report_type: 'dependency_scanning',
    scanner: scannerOf(finding.text('attribution', 'analyzerIdentity') ?? 'analyzer', 'Dependency-Track'),
    identifiers: identifiersOf([vulnId, ...aliases]),
    location: {
      dependency: { package: { name: group ? `${group}/${name}` : name }, ...(version && { version }) },
    },
    package_url: component.text('purl'),
    ...decision,
    comment: [wordsOf(analysis), analysis.text('analysisDetails')].filter(Boolean).join('\n\n') || undefined,
    ...(decision.state !== 'detected' && { decided_at: last?.created_at, decided_by: last?.author }),
    comments,
    detected_at: timeOf(
      finding.at('attribution').number('attributedOn') ?? finding.text('attribution', 'attributedOn'),
    ),
  }
  return { id, status: `${state}${isSuppressed ? ', suppressed' : ''}`, record, notes: notesOf(state, isSuppressed) }
}

const responses: Readonly<Record<string, string>> = {
  CAN_NOT_FIX: 'cannot be fixed',
  WILL_NOT_FIX: 'will not be fixed',
  UPDATE: 'update',
  ROLLBACK: 'roll back',
  WORKAROUND_AVAILABLE: 'a workaround is available',
}

/** Returns what a decision in Alcove has no field for, in words. */
function wordsOf(analysis: Fields): string | undefined {
  const justification = analysis.text('analysisJustification')
  const response = responses[analysis.text('analysisResponse') ?? '']
  const words = [
    justification && justification !== 'NOT_SET'
      ? `Justification: ${justification.toLowerCase().replaceAll('_', ' ')}.`
      : undefined,
    response && `Response: ${response}.`,
  ]
  return words.filter(Boolean).join(' ') || undefined
}

/** Justifications that mean another reason than that the flaw does not apply. */
const reasons: Readonly<Record<string, DismissalReason>> = {
  CODE_NOT_PRESENT: 'false_positive',
  PROTECTED_BY_COMPILER: 'mitigating_control',
  PROTECTED_AT_RUNTIME: 'mitigating_control',
  PROTECTED_AT_PERIMETER: 'mitigating_control',
  PROTECTED_BY_MITIGATING_CONTROL: 'mitigating_control',
}

function decisionOf(
  state: string,
  isSuppressed: boolean,
  justification: string | undefined,
): Pick<FindingRecord, 'state' | 'dismissal_reason'> {
  switch (state) {
    case 'FALSE_POSITIVE':
      return { state: 'dismissed', dismissal_reason: 'false_positive' }
    case 'NOT_AFFECTED':
      return { state: 'dismissed', dismissal_reason: reasons[justification ?? ''] ?? 'not_applicable' }
    case 'RESOLVED':
      return { state: 'resolved' }
    case 'EXPLOITABLE':
      return isSuppressed ? { state: 'dismissed', dismissal_reason: 'acceptable_risk' } : { state: 'confirmed' }
    default:
      return isSuppressed ? { state: 'dismissed' } : { state: 'detected' }
  }
}

function notesOf(state: string, isSuppressed: boolean): string[] {
  return [
    ...(state === 'IN_TRIAGE' ? ['“in triage” has no counterpart: is detected'] : []),
    ...(isSuppressed && ['NOT_SET', 'IN_TRIAGE'].includes(state) ? ['suppressed without a state: has no reason'] : []),
    ...(isSuppressed && state === 'EXPLOITABLE' ? ['suppressed although exploitable: is an accepted risk'] : []),
  ]
}
