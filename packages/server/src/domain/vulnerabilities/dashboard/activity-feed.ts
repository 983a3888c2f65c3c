import type { RootDeps } from '../../deps.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import type { ListScope } from '../list/filter.ts'
import {
  type Activity,
  type ActivityKind,
  activityKinds,
  type FeedEntry,
  type FeedPlace,
  type FeedPosition,
  feedSources,
  joinDecisions,
} from './activity.ts'
import {
  type FeedRange,
  findLastBulk,
  findLastSingle,
  listBulkActivity,
  listImportActivity,
  listSingleDecisions,
} from './activity-queries.ts'
import { readSilentScanners, silentSince } from './silent-scanners.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Age of the oldest entry of the dashboard and of pages by number. */
const newestDays = 30
const maxNumbered = 500
/** Decisions are read in larger numbers, because many are joined to one line. */
const decisionsPerEntry = 20
/** Number of times that a keyset page reads on while it has too few entries. */
const maxSteps = 10

/** Returns the newest changes by reports and by people of the last 30 days. */
export async function readNewestActivity(
  deps: RootDeps,
  projectIds: readonly number[],
  limit: number,
): Promise<Activity[]> {
  const since = startOf(deps)
  const range = { since, limit: limit * decisionsPerEntry }
  const entries = await Promise.all([
    readImports(deps, projectIds, { kinds: activityKinds, since }, limit),
    readDecisions(deps, projectIds, { bulk: range, single: range }),
  ])
  return newestFirst(entries.flat())
    .slice(0, limit)
    .map(({ activity }) => activity)
}

/** Returns a page of the entries of the last 30 days, newest first. */
export async function listActivity(
  deps: RootDeps,
  scope: ListScope,
  kinds: readonly ActivityKind[],
  page: PageRequest,
): Promise<Page<Activity>> {
  const since = startOf(deps)
  const range = { since }
  const entries = await Promise.all([
    readImports(deps, scope.projectIds, { kinds, since }, maxNumbered),
    kinds.includes('triage') ? readDecisions(deps, scope.projectIds, { bulk: range, single: range }) : [],
    kinds.includes('silent_scanner') ? readSilences(deps, scope, range) : [],
  ])
  const found = newestFirst(entries.flat())
    .slice(0, maxNumbered)
    .map(({ activity }) => activity)
  return pageOf(page, found.slice(page.offset, page.offset + page.perPage + 1), found.length)
}

/**
 * Returns the entries after a position, newest first, without a limit of age. A page may have fewer entries than requested,
 * when those of the projects are far apart; the last page is the one without a next position.
 */
export async function listActivityAfter(
  deps: RootDeps,
  scope: ListScope,
  kinds: readonly ActivityKind[],
  { perPage, after }: { perPage: number; after: FeedPosition },
): Promise<{ rows: Activity[]; next: FeedPosition | undefined }> {
  // A position would reveal times of decisions in other projects.
  if (scope.projectIds.length === 0) return { rows: [], next: undefined }
  const rows: Activity[] = []
  let position = after
  for (let step = 0; step < maxSteps; step++) {
    const { entries, next } = await readStep(deps, scope, { kinds, position, limit: perPage - rows.length })
    rows.push(...entries.map(({ activity }) => activity))
    if (!next) return { rows, next: undefined }
    position = next
    if (rows.length === perPage) break
  }
  return { rows, next: position }
}

interface Step {
  kinds: readonly ActivityKind[]
  position: FeedPosition
  limit: number
}

/** Reads the next rows of each list once. */
async function readStep(deps: RootDeps, scope: ListScope, { kinds, position, limit }: Step) {
  const { projectIds } = scope
  const range = (source: keyof FeedPosition): FeedRange => ({ after: position[source] })
  const isTriage = kinds.includes('triage')
  const [imports, decisions, silences, lastBulk, lastSingle] = await Promise.all([
    readImports(deps, projectIds, { kinds, ...range('imports') }, limit + 1),
    isTriage ? readDecisions(deps, projectIds, { bulk: range('bulk'), single: range('single') }) : [],
    kinds.includes('silent_scanner') ? readSilences(deps, scope, range('silences')) : [],
    isTriage ? findLastBulk(deps.db, range('bulk')) : undefined,
    isTriage ? findLastSingle(deps.db, range('single')) : undefined,
  ])
  const last: FeedPosition = { bulk: lastBulk, single: lastSingle }
  // Decisions before these times may be missing, so older entries wait for the next step.
  const times = [lastBulk, lastSingle].flatMap((place) => (place ? [place.time] : [])).sort()
  const bound = times.at(-1) ?? ''
  const known = newestFirst([...imports, ...decisions, ...silences])
  const complete = known.filter(({ activity }) => activity.createdAt >= bound)
  const entries = complete.slice(0, limit)
  const reached: FeedPosition = Object.assign({}, position, ...entries.map(({ through }) => through))
  if (entries.length === limit) return { entries, next: known.length > limit || bound ? reached : undefined }
  if (!bound) return { entries, next: undefined }
  const passed = feedSources.filter((source) => last[source]?.time === bound)
  return { entries, next: { ...reached, ...Object.fromEntries(passed.map((source) => [source, last[source]])) } }
}

async function readImports(
  { db }: RootDeps,
  projectIds: readonly number[],
  { kinds, ...range }: FeedRange & { kinds: readonly ActivityKind[] },
  limit: number,
): Promise<FeedEntry[]> {
  const [isAny, isHeld] = [kinds.includes('import'), kinds.includes('mass_absence')]
  if (!isAny && !isHeld) return []
  const held = !isAny ? 'only' : isHeld ? 'any' : 'none'
  const found = await listImportActivity(db, projectIds, { ...range, held }, limit)
  return found.map((activity) => ({
    activity,
    through: { imports: { time: activity.createdAt, id: activity.importId } },
  }))
}

async function readDecisions(
  { db }: RootDeps,
  projectIds: readonly number[],
  ranges: { bulk: FeedRange; single: FeedRange },
): Promise<FeedEntry[]> {
  const found = await Promise.all([
    listBulkActivity(db, projectIds, ranges.bulk),
    listSingleDecisions(db, projectIds, ranges.single),
  ])
  return joinDecisions(found.flat().sort((a, b) => compare(b.activity.createdAt, a.activity.createdAt)))
}

async function readSilences(deps: RootDeps, scope: ListScope, { since = '', after }: FeedRange): Promise<FeedEntry[]> {
  const found = await readSilentScanners(deps, scope)
  return found
    .map((scanner) => ({ scanner, place: { time: silentSince(scanner), id: scanner.id } }))
    .filter(({ place }) => place.time >= since && (!after || isAfter(place, after)))
    .sort((a, b) => compare(b.place.time, a.place.time) || b.place.id - a.place.id)
    .map(({ scanner: { id, projectId, name, lastReportAt }, place }) => ({
      activity: {
        kind: 'silent_scanner',
        projectId,
        createdAt: place.time,
        scannerId: id,
        scanner: name,
        lastReportAt,
      },
      through: { silences: place },
    }))
}

const isAfter = (place: FeedPlace, { time, id }: FeedPlace) =>
  place.time < time || (place.time === time && place.id < id)

const newestFirst = (entries: readonly FeedEntry[]) =>
  entries.toSorted((a, b) => compare(b.activity.createdAt, a.activity.createdAt))

const startOf = ({ now }: RootDeps) => new Date(Date.parse(now()) - newestDays * dayMs).toISOString()
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
