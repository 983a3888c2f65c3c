import type { ReportType } from '../../../findings/scales.ts'
import { isObject, listOf, objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import type { Gaps } from '../gaps.ts'
import type { JsonObject } from '../report.ts'
import type { FindingKind } from './kinds.ts'

/** Report type of each kind of finding. */
export type TypesByKind = Record<FindingKind, ReportType>

/** Adds the gaps of a report. `isSent` is true if the sender declared the type of its packages. */
export function addGaps(root: unknown, types: TypesByKind, isSent: boolean, gaps: Gaps): void {
  const results = Array.isArray(root) ? root : (objectOf(root)?.Results ?? [])
  const at = Array.isArray(root) ? '' : '/Results'
  if (!Array.isArray(results)) gaps.add({}, 'its list of results cannot be read', at)
  else if (results.length === 0) gaps.add({}, 'it lists nothing that was scanned', at)

  const { Vulnerabilities: reportType } = types
  const looked = objectsOf(results)
  if (isSent && looked.length > 0 && !looked.some(isOfPackages)) gaps.add({ reportType }, 'it lists no packages', at)
  for (const [index, result] of listOf(results).entries()) {
    const pointer = `${at}/${index}`
    if (!isObject(result)) gaps.add({}, 'a result is not an object', pointer)
    else addGapsOfResult(result, types, (type, reason) => gaps.add({ reportType: type }, reason, pointer))
  }
}

function addGapsOfResult(
  result: JsonObject,
  types: TypesByKind,
  add: (reportType: ReportType | undefined, reason: string) => void,
): void {
  for (const [kind, reportType] of Object.entries(types)) {
    const list = result[kind] ?? []
    if (!Array.isArray(list)) add(reportType, `the ${kind} of a result are not a list`)
  }
  const hasList = Object.keys(types).some((kind) => Object.hasOwn(result, kind))
  const isKnown = typeof result.Class === 'string' || (result.Class === undefined && textOf(result.Type))
  if (!isKnown && !hasList) add(undefined, 'a result does not say what it is about')
}

/** Classes of results that contain no packages. */
const otherClasses = ['config', 'secret', 'license', 'license-file', 'custom']

/** Returns true if a result is about packages. Before Trivy 0.20, results had no class. */
export const isOfPackages = ({ Class }: JsonObject): boolean =>
  Class === undefined || !otherClasses.includes(String(Class))

/** Returns the reason why an entry may represent another finding than its uuid says. */
export const doubtOf: Record<FindingKind, (entry: JsonObject, result: JsonObject) => string | undefined> = {
  Vulnerabilities(entry, result) {
    if (!textOf(entry.VulnerabilityID)) return 'it names no vulnerability'
    if (!textOf(entry.PkgName)) return 'it names no package'
    const { PkgPath = '' } = entry
    return typeof PkgPath === 'string' && typeof result.Target === 'string' ? undefined : unplaced
  },
  Misconfigurations({ ID, AVDID = ID, CauseMetadata = {} }, result) {
    if (!textOf(AVDID)) return 'it names no check'
    const { StartLine, EndLine } = objectOf(CauseMetadata) ?? { StartLine: null, EndLine: null }
    return typeof result.Target === 'string' && [StartLine, EndLine].every(isLineOrNone) ? undefined : unplaced
  },
  Secrets: ({ StartLine, EndLine }, result) =>
    typeof result.Target === 'string' && [StartLine, EndLine].every(isLineOrNone) ? undefined : unplaced,
}

const unplaced = 'its location cannot be read'

const isLineOrNone = (line: unknown): boolean => line === undefined || typeof line === 'number'
