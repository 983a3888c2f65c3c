import { version } from '../../platform/version.ts'
import { type Severity, severityRanks } from '../vulnerabilities/scales.ts'
import type { ExportedRow } from './exported-rows.ts'

/** What a run of SARIF tells of a rule; kept until the run ends, since its results come first. */
interface Rule {
  name: string
  helpUri: string | null
  severity: Severity
}

/** A SARIF 2.1.0 log is written piece by piece: the head, for each scanner a run of results, the tail. */
export const sarifHead = '{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":['
export const sarifTail = ']}\n'

/** The text of a run: its head, each result, and its end, which has what is only known then. */
export interface SarifRun {
  head: string
  result(row: ExportedRow): string
  end(): string
}

/** The results of one scanner in one project. */
export function openSarifRun({ project, scanner }: Pick<ExportedRow, 'project' | 'scanner'>): SarifRun {
  const rules = new Map<string, Rule>()
  let count = 0
  return {
    head: '\n{"results":[',
    result(row) {
      const ruleId = ruleOf(row, rules)
      return `${count++ === 0 ? '' : ','}\n${JSON.stringify(resultOf(row, ruleId))}`
    },
    end() {
      const driver = {
        name: scanner.name || scanner.externalId,
        organization: scanner.vendor,
        properties: { id: scanner.externalId },
        rules: [...rules].map(([id, rule]) => ({
          id,
          shortDescription: { text: rule.name },
          ...(rule.helpUri && URL.canParse(rule.helpUri) && { helpUri: new URL(rule.helpUri).href }),
          properties: { 'security-severity': scores[rule.severity], tags: ['security'] },
        })),
      }
      const tail = {
        tool: { driver },
        automationDetails: { id: `${project.fullPath}/${scanner.externalId}/` },
        properties: { exportedBy: `Alcove/${version}` },
      }
      return `],${JSON.stringify(tail).slice(1)}`
    },
  }
}

/** The first identifier names the rule. It is as severe as the worst that it found. */
function ruleOf({ identifiers, finding, vulnerability }: ExportedRow, rules: Map<string, Rule>): string {
  const [primary] = identifiers
  const id = primary ? `${primary.externalType}:${primary.externalId}` : finding.name
  const known = rules.get(id)
  if (!known) {
    rules.set(id, {
      name: primary?.name ?? finding.name,
      helpUri: primary?.url ?? null,
      severity: vulnerability.severity,
    })
  } else if (severityRanks[vulnerability.severity] > severityRanks[known.severity]) {
    known.severity = vulnerability.severity
  }
  return id
}

function resultOf(row: ExportedRow, ruleId: string) {
  const { vulnerability, finding, extras, identifiers } = row
  const dismissed = vulnerability.state === 'dismissed'
  return {
    ruleId,
    level: levels[vulnerability.severity],
    message: { text: finding.description || vulnerability.title },
    locations: locationsOf(finding.location),
    guid: finding.uuid,
    partialFingerprints: {
      'locationFingerprint/v1': finding.locationFingerprint,
      'uuid/v1': finding.uuid,
      ...Object.fromEntries(extras.signatures.map(({ algorithm, sha }) => [`${algorithm}/v1`, sha])),
    },
    baselineState: vulnerability.isResolvedOnDefaultBranch ? 'absent' : 'unchanged',
    ...(dismissed && { suppressions: [suppressionOf(row)] }),
    properties: {
      'security-severity': scores[vulnerability.severity],
      severity: vulnerability.severity,
      title: vulnerability.title,
      state: vulnerability.state,
      report_type: vulnerability.reportType,
      vulnerability_id: vulnerability.id,
      detected_at: vulnerability.createdAt,
      solution: finding.solution,
      location: finding.location,
      identifiers: identifiers.map(({ name, url }) => ({ name, url })),
      cvss: extras.cvss,
    },
  }
}

function suppressionOf({ vulnerability: { dismissalReason } }: ExportedRow) {
  return { kind: 'external', status: 'accepted', ...(dismissalReason && { justification: dismissalReason }) }
}

/** Where a scanner names a file, or else an image, as SARIF says it. */
function locationsOf(location: object): object[] {
  const { file, image, start_line, end_line, class: module, method } = location as Record<string, unknown> // as reported
  const place = typeof file === 'string' && file !== '' ? file : image
  if (typeof place !== 'string' || place === '') return []
  const region = { ...lineOf('startLine', start_line), ...lineOf('endLine', end_line) }
  const names = [module, method].filter((name) => typeof name === 'string' && name !== '')
  return [
    {
      physicalLocation: {
        artifactLocation: { uri: relativeUri(place) },
        ...('startLine' in region && { region }),
      },
      ...(names.length > 0 && { logicalLocations: [{ fullyQualifiedName: names.join('.') }] }),
    },
  ]
}

/** Every part of a path may hold what means something else in an address. */
function relativeUri(path: string): string {
  const parts = path
    .toWellFormed()
    .split(/[\\/]+/)
    .filter(Boolean)
  return parts.map(encodeURIComponent).join('/')
}

function lineOf(name: 'startLine' | 'endLine', line: unknown) {
  return Number.isSafeInteger(line) && Number(line) > 0 ? { [name]: Number(line) } : {}
}

const levels: Record<Severity, 'error' | 'warning' | 'note' | 'none'> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  unknown: 'warning',
  info: 'none',
}

/** In the middle of what the word stands for on the scale of CVSS. */
const scores: Record<Severity, string> = {
  critical: '9.5',
  high: '8.0',
  medium: '5.5',
  low: '2.0',
  unknown: '5.5',
  info: '0.0',
}
