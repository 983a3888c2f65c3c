import type { ReportType } from '../../../findings/scales.ts'
import { isObject, listOf, objectOf, objectsOf } from '../fields/json-fields.ts'
import type { Gaps } from '../gaps.ts'
import type { JsonObject } from '../report.ts'

/** Adds gaps for a scan that failed, was partial, or has an unreadable result. */
export function addGaps(scan: unknown, gaps: Gaps): void {
  if (scan === undefined) return
  if (!isObject(scan)) {
    gaps.add({}, 'how the scan ended cannot be read', '/scan')
    return
  }
  const { status = 'success', partial_scan, messages } = scan
  if (status === 'failure') gaps.add({}, 'the scan failed', '/scan/status')
  else if (status !== 'success') gaps.add({}, 'the scan does not say that it succeeded', '/scan/status')
  if (partial_scan !== undefined) gaps.add({}, 'the scan looked at a part only', '/scan/partial_scan')
  const isFatal = objectsOf(messages).some(({ level }) => level === 'fatal')
  if (isFatal) gaps.add({}, 'the scanner reports an error', '/scan/messages')
  if (!areIdentifiers(scan.primary_identifiers ?? [])) {
    gaps.add({}, 'the rules of the scan cannot be read', '/scan/primary_identifiers')
  }
}

const areIdentifiers = (value: unknown): boolean => Array.isArray(value) && value.every(isIdentifier)

const isIdentifier = (value: unknown): boolean =>
  ['type', 'name', 'value'].every((key) => isFilled(objectOf(value)?.[key]))

const isFilled = (value: unknown): boolean => typeof value === 'string' && value !== ''

/** Returns the reason why an entry may represent another finding: a field that its uuid depends on is unreadable. */
export function doubtOf(reportType: ReportType, vulnerability: JsonObject): string | undefined {
  const { identifiers, location, tracking } = vulnerability
  if (!isIdentifier(listOf(identifiers)[0])) return 'its first identifier cannot be read'
  if (!isPlaced[reportType](objectOf(location) ?? {})) return 'its location cannot be read'
  return tracking === undefined || isTracking(tracking) ? undefined : 'its tracking cannot be read'
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isTextOrNone = (value: unknown): boolean => value === undefined || isText(value)
const isLineOrNone = (value: unknown): boolean => isTextOrNone(value) || typeof value === 'number'

const isInCode = ({ file, start_line, end_line, ...place }: JsonObject): boolean =>
  isTextOrNone(file) &&
  [start_line, end_line].every(isLineOrNone) &&
  // A location with lines must have a file.
  (file !== undefined || (start_line === undefined && Object.keys(place).length > 0))

const hasPackage = ({ dependency }: JsonObject): boolean => isText(objectOf(objectOf(dependency)?.package)?.name)

const isInImage = (location: JsonObject): boolean => isText(location.image) && hasPackage(location)

const isInRequest = ({ path, method, param, hostname }: JsonObject): boolean =>
  [path, method, param].every(isTextOrNone) && [path, method, param, hostname].some(isText)

const isPlaced: Record<ReportType, (location: JsonObject) => boolean> = {
  sast: isInCode,
  secret_detection: isInCode,
  dependency_scanning: (location) => isText(location.file) && hasPackage(location),
  container_scanning: isInImage,
  container_scanning_for_registry: isInImage,
  cluster_image_scanning: (location) =>
    isInImage(location) && isTextOrNone(objectOf(location.kubernetes_resource)?.agent_id),
  dast: isInRequest,
  api_fuzzing: isInRequest,
  coverage_fuzzing: ({ crash_type, crash_state }) => [crash_type, crash_state].every(isText),
}

const isTracking = (tracking: unknown): boolean => {
  const items = objectOf(tracking)?.items
  return Array.isArray(items) && items.every((item) => Array.isArray(objectOf(item)?.signatures))
}
