import { type ListedFinding, nameOf, placeOf, type Severity, severityOf } from '../findings.ts'
import { plain, safeJson, webAddress } from '../safe-text.ts'
import { incompleteness, missingReports, type UploadResult } from '../upload/upload-result.ts'

const levels: Record<Severity, 'error' | 'warning' | 'note'> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  unknown: 'note',
  info: 'note',
}

/** Scores by which GitHub orders results. */
const scores: Record<Severity, string> = {
  critical: '9.5',
  high: '8.0',
  medium: '5.5',
  low: '2.5',
  unknown: '0.0',
  info: '0.0',
}

type BaselineState = 'new' | 'unchanged' | 'absent'

/** Writes a result as SARIF 2.1.0. New, known and fixed findings differ in their `baselineState`. */
export function writeSarif(result: UploadResult): string {
  const { url, lists, ref, commit } = result
  const rows: [ListedFinding, BaselineState][] = [
    ...lists.new.map((finding): [ListedFinding, BaselineState] => [finding, 'new']),
    ...lists.known.map((finding): [ListedFinding, BaselineState] => [finding, 'unchanged']),
    ...lists.fixed.map((finding): [ListedFinding, BaselineState] => [finding, 'absent']),
  ]
  const rules = new Map(rows.map(([finding]) => [ruleIdOf(finding), finding]))
  const ruleIndexes = new Map([...rules.keys()].map((id, index) => [id, index]))
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'Alcove', informationUri: webAddress(url), rules: [...rules].map(ruleOf) },
        },
        automationDetails: { id: `alcove/${plain(ref)}/` },
        ...(commit && { properties: { revisionId: plain(commit) } }),
        invocations: [invocationOf(result)],
        columnKind: 'utf16CodeUnits',
        results: rows.map(([finding, state]) => resultOf(finding, state, ruleIndexes)),
      },
    ],
  }
  return `${safeJson(log)}\n`
}

/** Tells readers of the log whether the results are complete. */
function invocationOf(result: UploadResult) {
  const hint = incompleteness(result)
  const missing = missingReports(result)
  const notifications = [
    ...(hint ? [{ level: 'warning', message: { text: hint } }] : []),
    ...missing.map(({ file, message }) => ({
      level: 'error',
      message: { text: plain(`${file} was not imported: ${message}`) },
    })),
  ]
  return {
    executionSuccessful: missing.length === 0,
    ...(notifications.length > 0 && { toolExecutionNotifications: notifications }),
  }
}

/** Returns the id of the first identifier, such as `CVE-2099-0001`. */
function ruleIdOf({ identifiers, report_type: reportType, name }: ListedFinding): string {
  return plain(identifiers?.[0]?.name ?? '') || plain(name) || reportType
}

function ruleOf([id, finding]: [string, ListedFinding]) {
  const helpUri = webAddress(finding.identifiers?.[0]?.url)
  return {
    id,
    shortDescription: { text: nameOf(finding) },
    ...(helpUri && { helpUri }),
    properties: { 'security-severity': scores[severityOf(finding)], tags: ['security', plain(finding.report_type)] },
  }
}

function resultOf(finding: ListedFinding, baselineState: BaselineState, ruleIndexes: ReadonlyMap<string, number>) {
  const { path, line, endLine, text } = placeOf(finding)
  const ruleId = ruleIdOf(finding)
  const uri = path?.replace(/^(\.?\/)+/, '')
  const link = webAddress(finding.web_url)
  return {
    ruleId,
    ruleIndex: ruleIndexes.get(ruleId),
    level: levels[severityOf(finding)],
    baselineState,
    message: { text: `${nameOf(finding)}${uri || !text ? '' : ` in ${text}`}` },
    locations: [
      {
        ...(uri && {
          physicalLocation: {
            artifactLocation: { uri: encodeURI(uri).replace(/[?#]/g, encodeURIComponent), uriBaseId: '%SRCROOT%' },
            ...(line && { region: { startLine: line, ...(endLine && endLine >= line && { endLine }) } }),
          },
        }),
        ...(!uri && text && { logicalLocations: [{ fullyQualifiedName: text }] }),
      },
    ],
    ...(link && { hostedViewerUri: link }),
    partialFingerprints: { alcoveUuid: finding.uuid },
  }
}
