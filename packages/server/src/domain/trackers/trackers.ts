import { Failure, invalid, notFound } from '../../platform/failure.ts'
import { isUsableUrl } from '../../platform/outgoing/usable-url.ts'
import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { lineageOf, type Namespace } from '../namespaces/namespace.ts'
import type { Project } from '../projects/project.ts'
import { clientOf } from './clients/client.ts'
import { openTransport, TrackerError } from './clients/exchange.ts'
import { maxDescriptionTemplate, maxTitleTemplate, placeholders, unknownPlaceholders } from './template.ts'
import type { Tracker, TrackerDraft, TrackerOwner } from './tracker.ts'
import {
  deleteTracker,
  findTrackerOf,
  insertTracker,
  listTrackersOf,
  updateTested,
  updateTracker,
} from './tracker-queries.ts'

export async function findOwnTracker({ db }: Deps, owner: TrackerOwner): Promise<Tracker | undefined> {
  return findTrackerOf(db, owner)
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

/** A new or changed tracker. A token that is not given stays as it is. */
export type TrackerChange = Omit<TrackerDraft, 'token'> & Partial<Pick<TrackerDraft, 'token'>>

/**
 * Sets the tracker of a project or group. Another place is another tracker: its token must be given, because the stored
 * one belongs to the former place, and issues there are no longer followed.
 */
export function saveTracker(deps: Deps, owner: TrackerOwner, change: TrackerChange): Promise<Tracker> {
  const written = { ...change, url: withoutSlash(change.url.trim()), place: change.place.trim() }
  assertValid(deps, written)
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
    return saved
  })
}

const withoutSlash = (url: string): string => (url.endsWith('/') ? url.slice(0, -1) : url)

export async function removeTracker({ db }: Deps, owner: TrackerOwner): Promise<void> {
  if (!(await deleteTracker(db, owner))) throw notFound()
}

const maxLabels = 20

function assertValid({ settings }: Deps, tracker: TrackerChange): void {
  const problems: Record<string, string[]> = {}
  const check = (field: string, isValid: boolean, message: string) => {
    if (!isValid) problems[field] = [message]
  }
  const { url, place, token, email, labels } = tracker
  const isPlain = isUsableUrl(url, settings.webhooksReachPrivate) && !/[?#@]/.test(url)
  check('url', isPlain, 'must be the http or https URL of the tracker’s start page')
  check(
    'project',
    isPlace(tracker),
    tracker.kind === 'jira' ? 'must be the key of a project' : 'must be a path: group/project',
  )
  check('token', token === undefined || /^[\x21-\x7e]{1,500}$/.test(token), 'must be printable ASCII without spaces')
  check('email', email === null || /^[^\s:@]{1,200}@[^\s:@]{1,200}$/.test(email), 'is not an e-mail address')
  check('issue_type', /^.{1,100}$/.test(tracker.issueType), 'must have 1 to 100 characters')
  const areLabels = labels.length <= maxLabels && labels.every((label) => /^[^,\r\n]{1,100}$/.test(label))
  check('labels', areLabels, `must be at most ${maxLabels} labels without commas`)
  if (tracker.kind === 'jira') {
    check('labels', areLabels && labels.every((label) => !/\s/.test(label)), 'may not contain spaces in Jira')
  }
  for (const [field, template, max] of [
    ['title_template', tracker.titleTemplate, maxTitleTemplate],
    ['description_template', tracker.descriptionTemplate, maxDescriptionTemplate],
  ] as const) {
    const unknown = unknownPlaceholders(template)
    check(field, template.trim() !== '' && template.length <= max, `must have 1 to ${max} characters`)
    check(
      field,
      unknown.length === 0,
      `has the unknown placeholder ${unknown[0]}; known are ${placeholders.join(', ')}`,
    )
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
  if (place === '') throw invalid({ project: ['is empty'] })
}

/** Returns whether the text can be the path of a project, or in Jira its key. It becomes part of URLs and of JQL. */
function isPlace({ kind, place }: Pick<TrackerDraft, 'kind' | 'place'>): boolean {
  if (kind === 'jira') return /^[A-Za-z][A-Za-z0-9_]{0,99}$/.test(place)
  const parts = place.split('/')
  const isName = (part: string) => /^[\w.-]{1,255}$/.test(part) && !/^\.+$/.test(part)
  return parts.every(isName) && (kind === 'gitlab' ? parts.length >= 2 && parts.length <= 21 : parts.length === 2)
}

const testPauseMs = 3_000

export interface TestResult {
  ok: boolean
  message: string
}

/** Reads the project in the tracker and reports in plain language whether the settings are right. */
export async function testTracker(deps: RootDeps, owner: TrackerOwner): Promise<TestResult> {
  const tracker = await findTrackerOf(deps.db, owner)
  if (!tracker) throw notFound()
  const since = new Date(Date.parse(deps.now()) - testPauseMs).toISOString()
  // The limit keeps users from attacking other servers.
  if (!(await updateTested(deps.db, tracker.id, { now: deps.now(), since }))) {
    throw new Failure({ kind: 'too-many-requests' })
  }
  const { settings, resolve, now } = deps
  const send = openTransport({ reachesPrivate: settings.webhooksReachPrivate, resolve, now, signal: undefined })
  try {
    const found = await clientOf(tracker).findProblem(send, tracker)
    if (found !== undefined) return { ok: false, message: found }
    return { ok: true, message: `Connected. The token can read ${tracker.place}.` }
  } catch (error) {
    if (!(error instanceof TrackerError)) throw error
    return { ok: false, message: explain(tracker, error) }
  }
}

/** Explains why a tracker could not be read. */
function explain({ url, place }: Tracker, { status, message }: TrackerError): string {
  const { host } = new URL(url)
  if (status === 401) return `${host} does not accept the token. It is wrong, has expired or was revoked.`
  if (status === 403) return `${host} accepts the token, but it may not read ${place}. Check its scopes and its role.`
  if (status === 404) return `There is no project ${place} on ${host}, or the token may not see it.`
  if (status === 429) return `${host} accepts no more requests for now. Try again later.`
  if (status !== undefined && status >= 300 && status <= 399)
    return `${host} redirects to another address. Enter that URL.`
  if (status !== undefined && status >= 200 && status <= 299) {
    return `${host} responds, but not as a tracker of this kind. Check the kind and the URL.`
  }
  return `${host} could not be reached: ${message}.`
}
