import { Failure, invalid, notFound } from '../../platform/failure.ts'
import { type Deps, transaction } from '../deps.ts'
import { lineageOf, type Namespace } from '../namespaces/namespace.ts'
import type { Project } from '../projects/project.ts'
import { recordTrackerEvent } from './audited-tracker.ts'
import type { Tracker, TrackerChange, TrackerOwner } from './tracker.ts'
import type { TrackerIssue } from './tracker-issue.ts'
import {
  deleteTracker,
  findTrackerById,
  findTrackerOf,
  insertTracker,
  listTrackersOf,
  updateTracker,
} from './tracker-queries.ts'
import { assertValidTracker } from './tracker-validation.ts'

export async function findOwnTracker({ db }: Deps, owner: TrackerOwner): Promise<Tracker | undefined> {
  return findTrackerOf(db, owner)
}

/** Returns the tracker that has the issue, unless it was removed or replaced. */
export async function findTrackerOfIssue({ db }: Deps, { trackerId }: TrackerIssue): Promise<Tracker | undefined> {
  return trackerId === null ? undefined : findTrackerById(db, trackerId)
}

/** Returns the tracker of the project or group, or that of the nearest group above it. */
export async function findEffectiveTracker(deps: Deps, of: Project | Namespace): Promise<Tracker | undefined> {
  const isProject = 'namespace' in of
  const own = isProject ? await findTrackerOf(deps.db, { kind: 'project', id: of.id }) : undefined
  return own ?? findInherited(deps, lineageOf(isProject ? of.namespace : of))
}

/** Returns the tracker of the last of these namespaces that has one. */
async function findInherited({ db }: Deps, namespaceIds: readonly number[]): Promise<Tracker | undefined> {
  const trackers = await listTrackersOf(db, namespaceIds)
  const depth = ({ namespaceId }: Tracker) => (namespaceId === null ? -1 : namespaceIds.indexOf(namespaceId))
  return trackers.sort((a, b) => depth(b) - depth(a))[0]
}

/**
 * Sets the tracker of a project or group. Another place is another tracker: its token must be given, because the stored
 * one belongs to the former place, and issues there are no longer followed.
 */
export function saveTracker(deps: Deps, owner: TrackerOwner, change: TrackerChange): Promise<Tracker> {
  const written = { ...change, url: withoutSlash(change.url.trim()), place: change.place.trim() }
  assertValidTracker(deps, written)
  return transaction(deps, async (deps) => {
    const before = await findTrackerOf(deps.db, owner)
    const isSame = before?.kind === written.kind && before.url === written.url && before.place === written.place
    const known = isSame ? before : undefined
    const token = written.token ?? known?.token
    if (token === undefined) throw invalid({ token: ['must be given for a new tracker or another project'] })
    const draft = { ...written, token }
    if (before && !isSame) await deleteTracker(deps.db, owner)
    const saved = known
      ? await updateTracker(deps.db, known.id, draft, deps.now())
      : await insertTracker(deps.db, owner, draft, deps.now())
    if (!saved)
      throw new Failure({ kind: 'conflict', sentence: 'Another request has changed the tracker; look again.' })
    await recordTrackerEvent(deps, owner, { before, after: saved })
    return saved
  })
}

const withoutSlash = (url: string): string => (url.endsWith('/') ? url.slice(0, -1) : url)

export function removeTracker(deps: Deps, owner: TrackerOwner): Promise<void> {
  return transaction(deps, async (deps) => {
    const before = await findTrackerOf(deps.db, owner)
    if (!before || !(await deleteTracker(deps.db, owner))) throw notFound()
    await recordTrackerEvent(deps, owner, { before })
  })
}
