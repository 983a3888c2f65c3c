import type { ReportProblem } from '../../../../platform/failure.ts'
import type { Confidence, ReportType, Severity } from '../../../findings/scales.ts'
import type { DocumentContext } from '../../reader/document.ts'
import { type FindingDraft, finishFinding } from '../draft.ts'
import { type IdentifierReader, startIdentifiers } from '../fields/identifiers.ts'
import { listOf, objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { weaknessIds } from '../fields/vulnerability-ids.ts'
import { webPlace } from '../fields/web-place.ts'
import { chooseType, plainScan, scannerOf, toolHeader } from '../header.ts'
import { artifactName } from '../identity/artifacts.ts'
import { type Check, findProblems, list, object, scalar, text } from '../problems/checks.ts'
import type { JsonObject, ReportFinding, Scanner, SkippedFinding } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'

/** JSON reports of ZAP: alerts by site, each with the addresses where it was raised. */
export const zap: ReportFormat = {
  name: 'zap',
  recognises: (root) => {
    const object = objectOf(root)
    return object !== undefined && 'site' in object && '@version' in object && !('scan' in object)
  },
  items: [['site', '*', 'alerts', '*']],
  open,
}

function open(context: DocumentContext, options: OpenOptions): OpenedReport | { problems: ReportProblem[] } {
  const root = objectOf(context.rest.value) ?? {}
  const problems = findProblems(reportCheck, root)
  if (!Array.isArray(root.site)) return { problems }
  const chosen = chooseType('ZAP', options.reportType, 'dast', ['dast', 'api_fuzzing'])
  if ('problems' in chosen) return chosen
  const sites = objectsOf(root.site).map((site) => textOf(site['@name']))
  if (sites.length === 0) options.gaps.add({}, 'it names no site that was scanned', '/site')
  const version = textOf(root['@version']) ?? ''
  const scanner = scannerOf('zaproxy', 'ZAP', 'ZAP', version)
  const reading: Reading = { ...options, ...chosen, scanner, version, identifiersOf: startIdentifiers(() => {}) }
  return {
    header: toolHeader({ format: 'zap', version, ...chosen, scanner, scan: plainScan(root.created) }),
    problems,
    warnings: [],
    mixesScanners: false,
    artifact: () => (sites.length === 1 ? artifactName(sites[0]) : undefined),
    check: (value, { pointer }) => findProblems(alertCheck, value, pointer.slice(1).split('/')),
    read: (alert, { pointer }) => readAlert(alert, pointer, reading),
  }
}

interface Reading extends OpenOptions {
  reportType: ReportType
  scanner: Scanner
  version: string
  identifiersOf: IdentifierReader
}

/** Reads an alert: a finding for each path, method and parameter where it was raised. */
function* readAlert(alert: JsonObject, pointer: string, reading: Reading): Generator<ReportFinding | SkippedFinding> {
  if (String(alert.confidence) === '0') {
    yield { pointer, reason: 'it was marked as a false positive in ZAP', isSettled: true }
    return
  }
  const { instances, ...common } = alert
  if (listOf(instances).length === 0) {
    yield { pointer, reason: 'it names no address' }
    return
  }
  for (const [index, value] of listOf(instances).entries()) {
    const draft = draftOf(common, objectOf(value) ?? {}, reading)
    yield finishFinding(draft, `${pointer}/instances/${index}`, reading)
  }
}

function draftOf(alert: JsonObject, instance: JsonObject, reading: Reading): FindingDraft {
  const { reportType, scanner, version, identifiersOf } = reading
  const plugin = String(alert.pluginid ?? '')
  const name = textOf(alert.name) ?? textOf(alert.alert) ?? `ZAP alert ${plugin}`
  const summary = textOf(instance.evidence)
  return {
    reportType,
    scanner,
    identifiers: identifiersOf(
      [
        ...(plugin
          ? [{ type: 'ZAProxy_PluginId', name, value: plugin, url: `${alerts}/${encodeURIComponent(plugin)}/` }]
          : []),
        ...weaknessIds([textOf(alert.cweid)]),
      ],
      '',
    ),
    location: {
      ...webPlace(textOf(instance.uri) ?? ''),
      method: textOf(instance.method) ?? '',
      param: textOf(instance.param) ?? '',
    },
    name,
    description: plainText(alert.desc),
    solution: plainText(alert.solution),
    severity: severities.get(String(alert.riskcode)) ?? 'unknown',
    confidence: confidences.get(String(alert.confidence)),
    links: (plainText(alert.reference) ?? '')
      .split(/\s+/)
      .map((url) => ({ url }))
      .filter(({ url }) => url !== ''),
    evidence: summary === undefined ? undefined : { summary },
    doubt: textOf(instance.uri) === undefined ? 'it names no address' : undefined,
    rawMetadata: JSON.stringify({ ...alert, instances: [instance] }),
    metadataVersion: version,
  }
}

const alerts = 'https://www.zaproxy.org/docs/alerts'

/** Returns the paragraphs of a text that ZAP writes as HTML. */
function plainText(html: unknown): string | undefined {
  const text = textOf(html)
    ?.replace(/<\/p>\s{0,8}<p>/gi, '\n\n')
    .replace(/<\/?p>/gi, '')
    .trim()
  return text === '' ? undefined : text
}

const severities: ReadonlyMap<string, Severity> = new Map([
  ['0', 'info'],
  ['1', 'low'],
  ['2', 'medium'],
  ['3', 'high'],
])
const confidences: ReadonlyMap<string, Confidence> = new Map([
  ['1', 'low'],
  ['2', 'medium'],
  ['3', 'high'],
  ['4', 'confirmed'],
])

const word = scalar('string', 'integer')

const alertCheck: Check = object({
  required: ['pluginid', 'riskcode', 'instances'],
  properties: { pluginid: word, riskcode: word, name: text(), instances: list(object({ required: ['uri'] })) },
})

const reportCheck: Check = object({
  required: ['site'],
  properties: { site: list(object({ required: ['alerts'], properties: { alerts: list(() => {}) } })) },
})
