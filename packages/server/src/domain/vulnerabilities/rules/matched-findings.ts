import type { Deps } from '../../deps.ts'
import { listIdentifiers } from '../../findings/findings.ts'
import { splitPackageUrl } from '../../findings/package-url.ts'
import { severityOf } from '../../findings/scales.ts'
import { groupBy } from '../../group-by.ts'
import { listMatchedRows, listReportedRefs, type MatchedRow } from './finding-queries.ts'
import type { MatchedFinding } from './match-rules.ts'
import type { Rule } from './rule.ts'

/** A finding without the fields of its vulnerability. The severity is that of the scanner. */
export type ReadFinding = Omit<MatchedFinding, 'createdAt' | 'epssMillionths' | 'isKev'> &
  Pick<MatchedRow, 'vulnerabilityId'>

/** Reads what the rules match of findings, given by their ids or those of their vulnerabilities. */
export async function readFindings(
  { db }: Deps,
  rules: readonly Rule[],
  by: 'id' | 'vulnerability_id',
  ids: readonly number[],
): Promise<ReadFinding[]> {
  const rows = await listMatchedRows(db, by, ids)
  const findingIds = rows.map(({ findingId }) => findingId)
  const needsIdentifiers = rules.some(({ match }) => match.identifiers || match.ruleIds)
  const identifiers = groupBy(
    needsIdentifiers ? await listIdentifiers(db, findingIds) : [],
    ({ findingId }) => findingId,
  )
  const needsRefs = rules.some(({ match }) => match.refs)
  const refs = groupBy(needsRefs ? await listReportedRefs(db, findingIds) : [], ({ findingId }) => findingId)
  return rows.map((row) => {
    const named = (identifiers.get(row.findingId) ?? []).map(({ name, externalId }) =>
      [name, externalId].map((text) => text.toUpperCase()),
    )
    return {
      ...row,
      ...locationOf(row),
      identifiers: new Set(named.flat()),
      primary: named[0] ?? [],
      severity: severityOf(row.severity),
      refs: (refs.get(row.findingId) ?? []).map(({ ref }) => ref),
    }
  })
}

function locationOf({ location, packageUrl, packageName }: MatchedRow) {
  const { file, path, image, dependency } = location as Location // of any report type
  const reported = dependency?.package?.name
  const names = [packageName, typeof reported === 'string' ? reported.toLowerCase() : null]
  const version = dependency?.version ?? (packageUrl === null ? undefined : splitPackageUrl(packageUrl)?.version)
  return {
    paths: [file, path, image].filter((text) => typeof text === 'string'),
    packageNames: names.filter((name) => name !== null),
    version: typeof version === 'string' ? version : null,
  }
}

/** Fields that some report types have. */
interface Location {
  file?: unknown
  path?: unknown
  image?: unknown
  dependency?: { version?: unknown; package?: { name?: unknown } | null } | null
}
