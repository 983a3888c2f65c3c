import { columnValues } from '../../db/column-values.ts'
import type { Deps } from '../deps.ts'
import { contentColumns } from '../findings/finding-content.ts'
import { createFindings, insertImportKeys, upsertIdentifiers, upsertScanners } from '../findings/findings.ts'
import { insertOccurrences } from '../findings/occurrences/occurrences.ts'
import type { Project } from '../projects/project.ts'
import type { User } from '../users/user.ts'
import { backdate } from '../vulnerabilities/imported-triage/backdate.ts'
import { promoteFindings, recordPromotion } from '../vulnerabilities/promotion/promotion.ts'
import { listPromotedFindings } from '../vulnerabilities/vulnerabilities.ts'
import { fingerprintOf, identifiersOf, rowOfRecord, uuidOf } from './finding-of-record.ts'
import type { MatchedRecord } from './match-records.ts'
import type { FindingRecord, RecordBatch } from './record.ts'

/** Creates findings on the default branch with their vulnerabilities, and returns the ids of the findings. */
export async function createFindingsOf(
  deps: Deps,
  project: Project,
  user: User,
  { source, matched }: Pick<RecordBatch, 'source'> & { matched: readonly MatchedRecord[] },
): Promise<Map<FindingRecord, number>> {
  if (matched.length === 0) return new Map()
  const { db, now } = deps
  const records = matched.map(({ record }) => record)
  await upsertScanners(
    db,
    project.id,
    [...new Map(records.map(({ scanner }) => [scanner.externalId, scanner])).values()],
    now(),
  )
  const identifiers = records.flatMap((record) =>
    identifiersOf(record).map((one) => ({ ...one, fingerprint: fingerprintOf(one) })),
  )
  const ids = await upsertIdentifiers(db, project.id, identifiers)
  const contents = records.map((record) => {
    const uuid = uuidOf(record, source, project.id)
    const identifierIds = identifiersOf(record).flatMap((one) => ids.get(fingerprintOf(one)) ?? [])
    const row = columnValues(rowOfRecord(record, source, uuid), contentColumns)
    return { record, content: { uuid, row, identifierIds: [...new Set(identifierIds)], keys: [] } }
  })
  const origin = { projectId: project.id, importId: null, now: now() }
  const byUuid = new Map(contents.map(({ content }) => [content.uuid, content]))
  const stored = await createFindings(db, origin, [...byUuid.values()])
  const created = new Map(
    contents.flatMap(({ record, content: { uuid } }): [FindingRecord, number][] => {
      const id = stored.get(uuid)
      return id === undefined ? [] : [[record, id]]
    }),
  )
  const findingIds = [...new Set(created.values())]
  await insertOccurrences(db, { ...origin, ref: project.defaultBranch, categoryId: undefined }, findingIds)
  const keys = matched.flatMap(({ record, keys }) => {
    const findingId = created.get(record)
    return findingId === undefined ? [] : keys.map((key) => ({ ...key, findingId }))
  })
  await insertImportKeys(db, project.id, keys)
  const vulnerabilityOf = await promoteMatched(deps, project, user, findingIds)
  await backdate(
    deps,
    records.flatMap((record) => {
      const id = vulnerabilityOf.get(created.get(record) ?? 0)
      const { detectedAt } = record
      return id !== undefined && detectedAt !== undefined && detectedAt < now()
        ? [{ id, createdAt: detectedAt, authorId: null }]
        : []
    }),
  )
  return created
}

/** Promotes those of the findings that have no vulnerability, and returns the vulnerabilities of all. */
export async function promoteMatched(
  deps: Deps,
  project: Project,
  user: User,
  findingIds: readonly number[],
): Promise<Map<number, number>> {
  const promoted = await promoteFindings(deps, project, user.id, { findingIds, isAutomatic: false })
  await recordPromotion(deps, project, user, { promoted })
  const listed = await listPromotedFindings(deps.db, findingIds)
  return new Map(listed.map(({ findingId, vulnerabilityId }) => [findingId, vulnerabilityId]))
}
