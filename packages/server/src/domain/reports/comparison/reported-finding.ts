import type { FindingSummary } from '../../findings/finding.ts'
import { type FindingKey, lineOf } from '../../findings/finding-key.ts'
import {
  type ImportKey,
  importKeysOf,
  type KeyedFinding,
  placeOf,
} from '../../findings/imported-findings/import-key.ts'
import type { FingerprintKey } from '../formats/identity/result-fingerprints.ts'
import type { JsonObject } from '../formats/report.ts'
import { fingerprintKeysOf, formerUuids, matchingKeys, nearestKey } from './finding-keys.ts'
import type { ImportedFinding } from './imported-finding.ts'

/** A finding of the report without its content: what matching needs. */
export interface ReportedFinding {
  /** Id of the inserted, still invisible finding; 0 if the content is only staged, and in a dry run. */
  id: number
  uuid: string
  name: string
  severity: ImportedFinding['severity']
  reportType: string
  /** 0 if a dry run found a scanner that the project does not have. */
  scannerId: number
  location: JsonObject
  line: number
  isLarge: boolean
  keys: readonly FindingKey[]
  fingerprints: readonly FingerprintKey[]
  /** Key for matching by line, set only if the finding has no better key. */
  nearestKey: string | undefined
  /** Set if the report states that the finding is suppressed. */
  suppression: ImportedFinding['suppression']
  former: readonly { uuid: string; reason: 'identifier' | 'location' }[]
  /** Keys of imported findings that this may be. */
  importKeys: readonly ImportKey[]
}

export interface ReportedFrom {
  id: number
  scannerId: number
  /** Whether the scanner has earlier findings in the project. Only they can have moved. */
  hasPast: boolean
  /** Project whose earlier findings may have a former uuid; absent if it has none. */
  knownProjectId: number | undefined
  /** Whether the project has imported findings that no report has contained yet. */
  hasImported: boolean
}

export const reportedFrom = (
  finding: ImportedFinding,
  { id, scannerId, hasPast, knownProjectId, hasImported }: ReportedFrom,
): ReportedFinding => ({
  id,
  scannerId,
  uuid: finding.uuid,
  name: finding.name,
  severity: finding.severity,
  reportType: finding.reportType,
  location: finding.location,
  line: lineOf(finding.location),
  isLarge: finding.isLarge,
  keys: hasPast ? matchingKeys(finding, true) : [],
  fingerprints: hasPast ? fingerprintKeysOf(finding) : [],
  nearestKey: hasPast ? nearestKey(finding) : undefined,
  suppression: finding.suppression,
  // Include new scanners, which may have replaced another scanner.
  former: knownProjectId === undefined ? [] : formerUuids(finding, knownProjectId),
  importKeys: hasImported ? importKeysOf(keyedFrom(finding), { isImported: false }) : [],
})

const keyedFrom = ({ identifiers, name, reportType, location }: ImportedFinding): KeyedFinding => ({
  ids: identifiers.flatMap(({ name, externalId }) => [name, externalId]),
  title: name,
  reportType,
  ...placeOf(location),
})

/** Returns true if the finding has anything by which a known finding could match it. */
export const mayBeKnown = ({ keys, former, nearestKey, importKeys }: ReportedFinding): boolean =>
  keys.length + former.length + importKeys.length > 0 || nearestKey !== undefined

export const summaryOf = ({ uuid, name, severity, reportType, location }: ReportedFinding): FindingSummary => ({
  uuid,
  name,
  severity,
  reportType,
  location,
})
