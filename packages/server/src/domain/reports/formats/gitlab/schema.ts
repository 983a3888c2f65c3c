import type { ReportType } from '../../../findings/scales.ts'
import { type Check, constant, ifObject, list, object, scalar, text, word } from '../problems/checks.ts'
import { cvssVectors } from './cvss-check.ts'
import { detailsCheck } from './details.ts'
import { assetsCheck, evidenceCheck } from './evidence.ts'
import { dependency, locationCheck } from './locations.ts'
import { linkAddress, millisecond, second, versionNumber, webAddress } from './patterns.ts'
import { scanTypesOf } from './scan-type.ts'
import type { Major } from './versions.ts'

/** Returns the check of a whole report. Without a report type it covers only the rules that all types share. */
export function reportCheck(major: Major, reportType: ReportType | undefined): Check {
  const key = `${major} ${reportType}`
  const check = reportChecks.get(key) ?? buildReportCheck(major, reportType)
  reportChecks.set(key, check)
  return check
}

const reportChecks = new Map<string, Check>()

function buildReportCheck(major: Major, reportType: ReportType | undefined): Check {
  const needsDependencyFiles = major === 14 && reportType === 'dependency_scanning'
  return object({
    required: [
      'version',
      ...(major === 15 ? ['scan'] : []),
      'vulnerabilities',
      ...(needsDependencyFiles ? ['dependency_files'] : []),
    ],
    properties: {
      version: text({ pattern: versionNumber }),
      schema: major === 14 ? anyText : text({ pattern: webAddress }),
      scan: scanCheck(major, reportType),
      vulnerabilities: list(vulnerabilityCheck(major, reportType)),
      remediations: list(remediationCheck(major)),
      ...(needsDependencyFiles && { dependency_files: list(dependencyFile) }),
    },
  })
}

const anyText = text()
const someText = text({ min: 1 })

function scanCheck(major: Major, reportType: ReportType | undefined): Check {
  const dynamic = reportType === 'dast' || reportType === 'api_fuzzing'
  return object({
    required: [
      ...(major === 15 ? ['analyzer'] : []),
      'scanner',
      'start_time',
      'end_time',
      'status',
      'type',
      ...(dynamic ? ['scanned_resources'] : []),
    ],
    properties: {
      analyzer: tool({ url: text({ pattern: webAddress }) }),
      scanner: tool({ url: anyText }),
      start_time: text({ pattern: second }),
      end_time: text({ pattern: second }),
      status: word(['success', 'failure']),
      type: word(scanTypesOf(major, reportType)),
      messages: list(
        object({
          required: ['level', 'value'],
          properties: { level: word(['info', 'warn', 'fatal']), value: someText },
        }),
      ),
      ...(dynamic && { scanned_resources: list(scannedResource) }),
      ...(major === 15 && { options: list(scanOption), primary_identifiers: list(identifier[15]), observability }),
    },
  })
}

function tool(more: Record<string, Check>): Check {
  const vendor = object({ required: ['name'], properties: { name: someText } })
  return object({
    required: ['id', 'name', 'version', 'vendor'],
    properties: { id: someText, name: someText, version: someText, vendor, ...more },
  })
}

const scannedResource = object({
  required: ['method', 'url', 'type'],
  properties: { method: someText, url: someText, type: someText },
})

const scanOption = object({
  required: ['name', 'value'],
  properties: {
    name: text({ min: 1, max: 255 }),
    source: word(['argument', 'file', 'env_variable', 'other']),
    value: scalar('boolean', 'integer', 'null', 'string'),
  },
})

const identifierRules = (url: Check): Check =>
  object({
    required: ['type', 'name', 'value'],
    properties: { type: someText, name: someText, value: someText, url },
  })

const identifier: Record<Major, Check> = {
  14: identifierRules(anyText),
  15: identifierRules(text({ pattern: linkAddress })),
}

const observability = object({
  properties: {
    events: list(
      object({
        required: ['event'],
        properties: { event: anyText, property: anyText, label: anyText, value: scalar('number') },
      }),
    ),
  },
})

/** Builds the check of one entry. */
export function vulnerabilityCheck(major: Major, reportType: ReportType | undefined): Check {
  const code = reportType === 'sast' || reportType === 'secret_detection'
  const dynamic = reportType === 'dast' || reportType === 'api_fuzzing'
  const url = major === 14 ? anyText : text({ pattern: linkAddress })
  return object({
    required: [...(major === 14 ? ['category', 'cve', 'scanner'] : ['id']), 'identifiers', 'location'],
    properties: {
      severity: word(['Info', 'Unknown', 'Low', 'Medium', 'High', 'Critical']),
      identifiers: list(identifier[major], { min: 1 }),
      links: list(object({ required: ['url'], properties: { name: anyText, url } })),
      details: detailsCheck(major),
      flags: list(flag),
      location: locationCheck(major, reportType),
      ...ownProperties[major],
      ...(code && { raw_source_code_extract: anyText }),
      ...(dynamic && { evidence: evidenceCheck, assets: assetsCheck }),
      ...(dynamic && major === 14 && { discovered_at: text({ pattern: millisecond }) }),
    },
  })
}

const flag = object({
  required: ['type', 'origin', 'description'],
  properties: { type: word(['flagged-as-likely-false-positive']), origin: someText, description: someText },
})

const ownProperties: Record<Major, Record<string, Check>> = {
  14: {
    id: anyText,
    category: someText,
    name: anyText,
    message: anyText,
    description: anyText,
    cve: anyText,
    confidence: word(['Ignore', 'Unknown', 'Experimental', 'Low', 'Medium', 'High', 'Confirmed']),
    solution: anyText,
    scanner: object({ required: ['id', 'name'], properties: { id: someText, name: someText } }),
    tracking: trackingCheck(ifObject),
  },
  15: {
    id: someText,
    name: text({ max: 255 }),
    description: text({ max: 1_048_576 }),
    solution: text({ max: 7000 }),
    cvss_vectors: cvssVectors,
    tracking: trackingCheck(object),
  },
}

/** Version 14.x accepts any value in place of these objects. */
function trackingCheck(objectOrElse: typeof object): Check {
  const signature = objectOrElse({
    required: ['algorithm', 'value'],
    properties: { algorithm: anyText, value: anyText },
  })
  const item = object({
    required: ['signatures'],
    properties: {
      file: anyText,
      start_line: scalar('number'),
      end_line: scalar('number'),
      signatures: list(signature, { min: 1 }),
    },
  })
  return objectOrElse({ required: ['items'], properties: { type: constant('source'), items: list(item) } })
}

function remediationCheck(major: Major): Check {
  const fix =
    major === 14
      ? object({ required: ['cve'], properties: { cve: anyText } })
      : object({ required: ['id'], properties: { id: someText } })
  return object({
    required: ['fixes', 'summary', 'diff'],
    properties: { fixes: list(fix), summary: someText, diff: someText },
  })
}

const dependencyFile = object({
  required: ['path', 'package_manager', 'dependencies'],
  properties: { path: someText, package_manager: someText, dependencies: list(dependency[14]) },
})
