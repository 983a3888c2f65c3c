import type { Location, Result, Run, Suppression, ToolComponent } from 'sarif'
import { version } from '../../platform/version.ts'
import { type Severity, severityRanks } from '../findings/scales.ts'
import type { ExportedRow } from './exported-rows.ts'

/** Rule of a SARIF run. Rules are collected until the end of the run, because its results are written first. */
interface Rule {
  name: string
  helpUri: string | null
  severity: Severity
}

/** Returns the start of a SARIF 2.1.0 log; `sarifTail` ends it. One run per scanner is written between them. */
export const sarifHeadOf = (waitingFindings: number) =>
  `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","properties":{"waitingFindings":${waitingFindings}},"runs":[`
export const sarifTail = ']}\n'

/** Writer of a run: its start, each result, and its end with the collected rules. */
export interface SarifRun {
  head: string
  result(row: ExportedRow): string
  end(): string
}

/** Opens the run of one scanner in one project. */
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
      const driver: ToolComponent = {
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
      const tail: Omit<Run, 'results'> = {
        tool: { driver },
        automationDetails: { id: `${project.fullPath}/${scanner.externalId}/` },
        properties: { exportedBy: `Alcove/${version}` },
      }
      return `],${JSON.stringify(tail).slice(1)}`
    },
  }
}

/** Returns the rule's id, derived from the first identifier. A rule has the highest severity of its results. */
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

function resultOf(row: ExportedRow, ruleId: string): Result {
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
      package_url: finding.packageUrl,
      identifiers: identifiers.map(({ name, url }) => ({ name, url })),
      cvss: extras.cvss,
    },
  }
}

function suppressionOf({ vulnerability }: ExportedRow): Suppression {
  const { dismissalReason, dismissedUntil, isDismissedUntilFixed } = vulnerability
  const ends = dismissedUntil !== null || isDismissedUntilFixed
  return {
    kind: 'external',
    status: 'accepted',
    ...(dismissalReason && { justification: dismissalReason }),
    ...(ends && { properties: { dismissed_until: dismissedUntil, dismissed_until_fixed: isDismissedUntilFixed } }),
  }
}

/** Returns the location of the file or image in SARIF's format. */
function locationsOf(location: object): Location[] {
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

/** Percent-encodes each segment of a path. */
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

const levels: Record<Severity, Result.level> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  unknown: 'warning',
  info: 'none',
}

/** Scores in the middle of each severity's range on the CVSS scale. */
const scores: Record<Severity, string> = {
  critical: '9.5',
  high: '8.0',
  medium: '5.5',
  low: '2.0',
  unknown: '5.5',
  info: '0.0',
}
