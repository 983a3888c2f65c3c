import { forEachBatch } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import type { Project } from '../../projects/project.ts'
import type { Vulnerability } from '../finding.ts'
import { addToCounts, type CountChange } from '../list/count-queries.ts'
import { countChanges } from '../list/counts.ts'
import { titleOf } from '../title.ts'
import { autoResolved, reopened } from '../triage/change.ts'
import { recordHistory, recordSightings } from '../triage/history.ts'
import type { HistoryEntry, SightingOrigin } from '../triage/history-entry.ts'
import { type ChangedVulnerability, saveChanges } from '../triage/triage.ts'
import { listReported, lockVulnerabilities, type Reported } from '../triage/triage-queries.ts'
import { listDroppedByRule, listGone, listOutdated } from './apply-import-queries.ts'
import type { ScanRules } from './scan-rules.ts'

/** Ids of the findings that an import observed on its ref. */
export interface Sightings extends SightingOrigin {
  /** Category of the report, if any. Its rules say nothing about the findings of other categories. */
  categoryId: number | undefined
  seen: readonly number[]
  /** Observed findings that were known, but not on this ref. */
  found: readonly number[]
  /** Observed findings that were absent from this ref before. */
  returned: readonly number[]
  /** Findings that were present on this ref and are absent now. */
  gone: readonly number[]
  /** Findings that were matched at another location. */
  moved: readonly { vulnerabilityId: number; reason: string; location: object }[]
  /** Rules that the scan evaluated, if its report lists them. */
  rules?: ScanRules | undefined
}

/**
 * Updates vulnerabilities from the findings of an import, inside its transaction. History entries are written for every
 * ref. Imports of the default branch change vulnerabilities; imports of other branches do so only until the default
 * branch has observed the finding. Observed vulnerabilities take title and severity of the report and are reopened if
 * they were resolved. Absent ones are marked, and resolved only if the project is configured so.
 */
export async function followFindings(deps: Deps, project: Project, sightings: Sightings): Promise<void> {
  const { importId, userId, ref, now } = sightings
  const moved = sightings.moved.map(({ vulnerabilityId, ...details }): HistoryEntry => {
    return { vulnerabilityId, kind: 'matched', importId, userId, ref, details }
  })
  await recordHistory(deps.db, moved, now)
  await recordSightings(deps.db, 'found', sightings.found, sightings)
  await recordSightings(deps.db, 'back', sightings.returned, sightings)
  await recordSightings(deps.db, 'gone', sightings.gone, sightings)
  const outdated = await inSlicesOf(sightings.seen, (ids) => listOutdated(deps.db, ids))
  const isDefault = ref === project.defaultBranch
  await changeAll(deps, project, outdated, sightings, isDefault ? takeOver : takeOverOnBranch)
  if (!isDefault) return

  const gone = await inSlicesOf(sightings.gone, (ids) => listGone(deps.db, ids))
  await changeAll(deps, project, gone, sightings, (vulnerability) => leave(vulnerability, project, now))
  if (!sightings.rules) return
  const dropped = await listDroppedByRule(deps.db, project.id, sightings, sightings.rules)
  await changeAll(deps, project, dropped, sightings, (vulnerability) => drop(vulnerability, now))
}

/** New fields of a vulnerability, and the comment for its history if the state changes. */
interface Outcome {
  after: Vulnerability
  why?: string
}
type Follow = (vulnerability: Vulnerability, reported: Reported | undefined, now: string) => Outcome | undefined

const saying = (vulnerability: Vulnerability, reported: Reported, now: string): Vulnerability => ({
  ...vulnerability,
  title: titleOf(reported.name),
  severity: vulnerability.isSeverityOverridden ? vulnerability.severity : reported.severity,
  confidence: reported.confidence,
  scannerId: reported.scannerId,
  updatedAt: now,
})

const takeOverOnBranch: Follow = (vulnerability, reported, now) =>
  !reported || vulnerability.isOnDefaultBranch ? undefined : { after: saying(vulnerability, reported, now) }

const takeOver: Follow = (vulnerability, reported, now) => {
  if (!reported) return undefined
  const said = saying(vulnerability, reported, now)
  const after = { ...said, isOnDefaultBranch: true, isResolvedOnDefaultBranch: false }
  return vulnerability.state === 'resolved'
    ? { after: reopened(after, now), why: 'found again on the default branch' }
    : { after }
}

function leave(vulnerability: Vulnerability, { autoResolve }: Project, now: string): Outcome {
  const after = { ...vulnerability, isResolvedOnDefaultBranch: true, updatedAt: now }
  return autoResolve && isActive(vulnerability)
    ? { after: autoResolved(after, now), why: 'no longer found on the default branch' }
    : { after }
}

function drop(vulnerability: Vulnerability, now: string): Outcome | undefined {
  if (vulnerability.state !== 'detected' || !vulnerability.isResolvedOnDefaultBranch) return undefined
  return { after: autoResolved(vulnerability, now), why: 'the scanner no longer has the rule that found it' }
}

const isActive = ({ state }: Vulnerability) => state === 'detected' || state === 'confirmed'

async function changeAll(
  deps: Deps,
  project: Project,
  ids: readonly number[],
  { importId, ref, now }: SightingOrigin,
  follow: Follow,
): Promise<void> {
  const counts: CountChange[] = []
  // Lock in the order of ids, as every other bulk operation does, to avoid deadlocks.
  const inOrder = [...ids].sort((a, b) => a - b)
  await forEachBatch(inOrder, async (slice) => {
    const held = await lockVulnerabilities(deps.db, project.id, slice)
    const reported = new Map((await listReported(deps.db, slice)).map((row) => [row.vulnerabilityId, row]))
    const severities: HistoryEntry[] = []
    const changed = held.flatMap((before): ChangedVulnerability[] => {
      const outcome = follow(before, reported.get(before.id), now)
      if (!outcome) return []
      const { after, why } = outcome
      const origin = { vulnerabilityId: after.id, importId, ref }
      if (before.severity !== after.severity) {
        severities.push({ ...origin, kind: 'severity', from: before.severity, to: after.severity })
      }
      if (before.state === after.state) return [{ before, after }]
      return [{ before, after, entry: { ...origin, kind: 'state', from: before.state, to: after.state, comment: why } }]
    })
    await recordHistory(deps.db, severities, now)
    await saveChanges(deps, project.id, changed, now)
    counts.push(...countChanges(changed))
  })
  await addToCounts(deps.db, project.id, counts, now)
}

async function inSlicesOf(
  ids: readonly number[],
  list: (slice: readonly number[]) => Promise<number[]>,
): Promise<number[]> {
  const found: number[] = []
  await forEachBatch(ids, async (slice) => void found.push(...(await list(slice))))
  return found
}
