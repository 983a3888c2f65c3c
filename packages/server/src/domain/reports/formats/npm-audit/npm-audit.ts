import type { ReportProblem } from '../../../../platform/failure.ts'
import type { DocumentContext, Item } from '../../reader/document.ts'
import { finishFinding } from '../draft.ts'
import { startIdentifiers } from '../fields/identifiers.ts'
import { objectOf, textOf } from '../fields/json-fields.ts'
import { chooseType, plainScan, scannerOf, toolHeader } from '../header.ts'
import { type Check, findProblems, list, object, scalar, text } from '../problems/checks.ts'
import type { JsonObject, SkippedFinding } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'
import { type Advisory, draftOf, ofNpmEntry, ofRegistry, ofYarn } from './advisory.ts'

const byPackage = ['vulnerabilities', '{*}']
const byAdvisory = ['advisories', '{*}']
const byLine = ['*']

/**
 * JSON of package managers: `npm audit` (version 2), the older form by advisory (npm 6, pnpm, Yarn 2 and 3), and the lines of
 * Yarn 1 and 4.
 */
export const npmAudit: ReportFormat = {
  name: 'npm-audit',
  recognises: (root) => {
    if (Array.isArray(root)) return isLine(objectOf(root[0]) ?? {})
    const object = objectOf(root)
    return object !== undefined && ('auditReportVersion' in object || ('advisories' in object && 'metadata' in object))
  },
  items: [byPackage, byAdvisory, byLine],
  open,
}

/** Yarn 1 may write warnings before its advisories. */
const isLine = (line: JsonObject): boolean =>
  ('type' in line && 'data' in line && lineTypes.has(String(line.type))) || ('value' in line && 'children' in line)

const lineTypes: ReadonlySet<string> = new Set(['auditAdvisory', 'auditSummary', 'auditAction', 'warning', 'info'])

function open(context: DocumentContext, options: OpenOptions): OpenedReport | { problems: ReportProblem[] } {
  const root = context.rest.value
  const isYarn = Array.isArray(root)
  const version = objectOf(root)?.auditReportVersion ?? 1
  const problems = isYarn ? [] : findProblems(version === 1 ? oldReportCheck : reportCheck, root)
  if (problems.length > 0) return { problems }
  const chosen = chooseType('npm audit', options.reportType, 'dependency_scanning', ['dependency_scanning'])
  if ('problems' in chosen) return chosen
  const scanner = isYarn
    ? scannerOf('yarn-audit', 'yarn audit', 'Yarn', undefined)
    : scannerOf('npm-audit', 'npm audit', 'npm', undefined)
  const reading = { ...options, scanner, identifiersOf: startIdentifiers(() => {}) }
  return {
    header: toolHeader({
      format: 'npm-audit',
      version: isYarn ? '' : String(version),
      ...chosen,
      scanner,
      scan: plainScan(),
    }),
    problems: [],
    warnings: [],
    mixesScanners: false,
    check: (value, { path, pointer }) => findProblems(checkOf(path), value, pointer.slice(1).split('/')),
    *read(entry, item) {
      const { pointer } = item
      const found = readEntry(entry, item, options)
      if ('reason' in found) yield { pointer, ...found }
      else for (const advisory of found) yield finishFinding(draftOf(advisory, reading), pointer, options)
    },
  }
}

/** Returns the advisories of an entry, or the reason to skip it. */
function readEntry(
  entry: JsonObject,
  { path, pointer, key }: Item,
  { gaps }: OpenOptions,
): Advisory[] | Omit<SkippedFinding, 'pointer'> {
  if (path === byPackage) {
    // A text names another package whose advisories this one is affected by; they stand with that package.
    return ofNpmEntry(entry, key ?? '')
  }
  if (path === byAdvisory) return [ofRegistry(entry, 'package.json')]
  if ('children' in entry) {
    const children = objectOf(entry.children) ?? {}
    return /\(deprecation\)$/.test(String(children.ID))
      ? { reason: 'it is a deprecation, not a vulnerability', isSettled: true }
      : [ofYarn(entry, children)]
  }
  if (entry.type === 'auditAdvisory') {
    return [ofRegistry(objectOf(objectOf(entry.data)?.advisory) ?? {}, 'yarn.lock')]
  }
  if (entry.type === 'error') {
    gaps.add({}, `yarn reports an error: ${textOf(entry.data)?.slice(0, 200) ?? 'without a message'}`, pointer)
  }
  return []
}

const someText = text({ min: 1 })
const advisoryCheck = object({ required: ['module_name'], properties: { module_name: someText, title: text() } })

const checkOf = (path: Item['path']): Check =>
  path === byPackage ? packageCheck : path === byAdvisory ? advisoryCheck : lineCheck

const packageCheck: Check = object({
  required: ['name', 'severity', 'via'],
  properties: { name: someText, severity: text(), via: list(() => {}), nodes: list(text()) },
})

const lineCheck: Check = object({
  properties: {
    children: object({ required: ['ID', 'Severity'], properties: { ID: scalar('integer', 'string') } }),
  },
})

const oldReportCheck: Check = object({ required: ['advisories'], properties: { advisories: object({}) } })

const reportCheck: Check = object({
  required: ['vulnerabilities'],
  properties: { auditReportVersion: scalar('integer'), vulnerabilities: object({}) },
})
