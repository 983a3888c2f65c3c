import { setImmediate } from 'node:timers/promises'
import { forEachBatch } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import { type Severity, severities } from '../scales.ts'
import {
  type ComparedFinding,
  type ComparedRefs,
  judge,
  maxComparedSamples,
  mostSevere,
  type PendingChanges,
  type RefComparison,
  startCounts,
} from './ref-comparison.ts'
import {
  countOnlyOnTarget,
  countOnRef,
  type FindingRange,
  findRangeEnd,
  listCompared,
  listCoveringScanners,
  listFixedOnRef,
  listNewOnRef,
  listStandings,
} from './ref-comparison-queries.ts'

const nothingPending: PendingChanges = { present: [], absent: [], new: [], scans: [] }

/**
 * Compares the findings of a ref with those of its target, from the stored state and, for a dry run, from what an
 * import would change. The same state gives the same result, so a repeated import does, too.
 */
export async function compareRefs(
  { db }: Pick<Deps, 'db'>,
  refs: ComparedRefs,
  pending: PendingChanges = nothingPending,
): Promise<RefComparison> {
  const isTarget = refs.ref === refs.targetRef
  const { counts, add } = startCounts()
  for (const { total, ...standing } of await countOnRef(db, refs)) add(standing, total)
  for await (const range of coveredRanges(db, refs, pending.scans)) {
    for (const { total, ...standing } of await countOnlyOnTarget(db, refs, pending.scans, range)) add(standing, total)
  }
  const changed = await addPending(db, refs, pending, add)
  const stored = { new: counts.new > 0, fixed: counts.fixed > 0 }
  const query = (kind: 'new' | 'fixed') => ({
    severities: highest(counts.bySeverity, kind),
    except: changed.ids,
  })
  const isNew = stored.new ? await listNewOnRef(db, refs, query('new')) : []
  const isFixed = stored.fixed ? await listFixed(db, refs, pending.scans, query('fixed')) : []
  const load = (found: readonly { id: number }[]) =>
    listCompared(
      db,
      found.map(({ id }) => id),
    )
  return {
    ...counts,
    targetRef: isTarget ? null : refs.targetRef,
    samples: {
      new: mostSevere([...(await load(isNew)), ...changed.new]),
      fixed: mostSevere([...(await load(isFixed)), ...changed.fixed]),
    },
  }
}

/** Yields ranges of the findings that a complete scan of the ref may cover; none if the ref is the target itself. */
async function* coveredRanges(
  db: Deps['db'],
  refs: ComparedRefs,
  pendingScans: PendingChanges['scans'],
): AsyncGenerator<FindingRange, void> {
  if (refs.ref === refs.targetRef) return
  const scanned = [...(await listCoveringScanners(db, refs)), ...pendingScans]
  const scanners = new Map(scanned.map((scan) => [`${scan.scannerId} ${scan.reportType}`, scan]))
  for (const { scannerId, reportType } of scanners.values()) {
    const scanner = { scannerId, reportType }
    for (let above = 0, upTo: number | undefined = 0; upTo !== undefined; above = upTo ?? above) {
      upTo = await findRangeEnd(db, scanner, above)
      yield { ...scanner, above, upTo: upTo ?? Number.MAX_SAFE_INTEGER }
      await setImmediate() // SQLite executes each statement without an interruption
    }
  }
}

/** Returns the most severe findings that are fixed on the ref. */
async function listFixed(
  db: Deps['db'],
  refs: ComparedRefs,
  pendingScans: PendingChanges['scans'],
  query: { severities: readonly Severity[]; except: readonly number[] },
): Promise<{ id: number }[]> {
  const found: Awaited<ReturnType<typeof listFixedOnRef>> = []
  for await (const range of coveredRanges(db, refs, pendingScans)) {
    found.push(...(await listFixedOnRef(db, refs, pendingScans, { ...query, range })))
  }
  return found.sort((a, b) => b.severity - a.severity || a.id - b.id).slice(0, maxComparedSamples)
}

/** Returns the highest severities that together have enough findings for the samples. */
function highest(bySeverity: RefComparison['bySeverity'], kind: 'new' | 'fixed'): Severity[] {
  let total = 0
  return severities.toReversed().filter((severity) => {
    const isNeeded = total < maxComparedSamples && bySeverity[severity][kind] > 0
    total += bySeverity[severity][kind]
    return isNeeded
  })
}

type AddStanding = ReturnType<typeof startCounts>['add']

/** Counts each finding that an import would change as it would be. Returns those findings as samples. */
async function addPending(
  db: Deps['db'],
  refs: ComparedRefs,
  { present, absent, new: added, scans }: PendingChanges,
  add: AddStanding,
): Promise<{ ids: number[]; new: ComparedFinding[]; fixed: ComparedFinding[] }> {
  const isTarget = refs.ref === refs.targetRef
  const after = new Map(present.map((one) => [one.findingId, one]))
  const ids = [...after.keys(), ...absent]
  const samples = { new: [] as ComparedFinding[], fixed: [] as ComparedFinding[] }
  await forEachBatch(ids, async (batch) => {
    const standings = await listStandings(db, refs, scans, batch)
    const sampled = new Map<number, { verdict: 'new' | 'fixed'; severity: Severity }>()
    for (const { id, isSeverityOverridden, ...before } of standings) {
      const known = after.get(id)
      const isOnRef = known !== undefined
      const severity = (isSeverityOverridden ? undefined : known?.severity) ?? before.severity
      const isDismissed = known?.isDismissed ?? before.isDismissed
      const standing = { ...before, severity, isDismissed, isOnRef, isOnTarget: isTarget ? isOnRef : before.isOnTarget }
      add(before, -1)
      add(standing, 1)
      const verdict = judge(standing)
      if (verdict === 'new' || verdict === 'fixed') sampled.set(id, { verdict, severity })
    }
    for (const finding of await listCompared(db, [...sampled.keys()])) {
      const sample = sampled.get(finding.id)
      if (sample) samples[sample.verdict].push({ ...finding, severity: sample.severity })
    }
    samples.new = mostSevere(samples.new)
    samples.fixed = mostSevere(samples.fixed)
  })
  for (const { severity, summary, isDismissed } of added) {
    add({ severity, isDismissed, isOnRef: true, isOnTarget: isTarget, isCovered: true }, 1)
    if (summary && !isTarget && !isDismissed) samples.new.push({ ...summary, id: undefined, vulnerabilityId: null })
  }
  return { ids, ...samples }
}
