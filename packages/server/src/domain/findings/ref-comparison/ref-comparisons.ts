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
  type Candidates,
  countOnlyOnTarget,
  countOnRef,
  hasMoreOnRef,
  listCompared,
  listCoveringScanners,
  listFixedOnRef,
  listNewOnRef,
  listOfScannerAndType,
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
  const candidates = await chooseCandidates(db, refs, pending.scans)
  if (!isTarget) {
    for (const { total, ...standing } of await countOnlyOnTarget(db, refs, pending.scans, candidates)) {
      add(standing, total)
    }
  }
  const changed = await addPending(db, refs, pending, add)
  const stored = { new: counts.new > 0, fixed: counts.fixed > 0 }
  const query = (kind: 'new' | 'fixed') => ({
    severities: highest(counts.bySeverity, kind),
    except: changed.ids,
  })
  const isNew = stored.new ? await listNewOnRef(db, refs, query('new')) : []
  const isFixed = stored.fixed ? await listFixedOnRef(db, refs, pending.scans, { ...query('fixed'), candidates }) : []
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

const maxFew = 10_000

/**
 * Returns the findings of the scanners that scanned the ref, if they are few and the target has many. A report of one
 * scanner is then not compared with all findings of others.
 */
async function chooseCandidates(
  db: Deps['db'],
  refs: ComparedRefs,
  pendingScans: PendingChanges['scans'],
): Promise<Candidates> {
  const { projectId, targetRef } = refs
  if (refs.ref === targetRef || !(await hasMoreOnRef(db, { projectId, ref: targetRef }, maxFew))) return undefined
  const scanned = [...(await listCoveringScanners(db, refs)), ...pendingScans]
  const scanners = new Map(scanned.map((scan) => [`${scan.scannerId} ${scan.reportType}`, scan]))
  const ids: number[] = []
  for (const scanner of scanners.values()) {
    ids.push(...(await listOfScannerAndType(db, scanner, maxFew + 1 - ids.length)))
    if (ids.length > maxFew) return undefined
  }
  return ids
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
