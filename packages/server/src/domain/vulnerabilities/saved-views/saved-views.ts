import { conflict, forbidden, invalid, limitReached, notFound } from '../../../platform/failure.ts'
import type { Caller } from '../../access/callers.ts'
import { roles } from '../../access/roles.ts'
import type { AuditEventName } from '../../audit/event-name.ts'
import { type Deps, type RootDeps, transaction } from '../../deps.ts'
import { hooksOfView } from '../../hooks/hooks.ts'
import { placeIds, recordNamedChange } from '../../projects/audited-place.ts'
import { groupLevel, projectLevel } from '../../projects/visible.ts'
import { lockUser } from '../../users/users.ts'
import { readableScope } from '../list/readable-scope.ts'
import type { SavedView, ViewConditions, ViewDraft, ViewPlace } from './saved-view.ts'
import {
  countViews,
  deleteDefault,
  deleteView,
  findView,
  insertDefault,
  insertView,
  listViews,
  lockView,
  updateConditions,
  updateView,
} from './saved-view-queries.ts'

/** Maximum number of views of one user in a place, and of shared views in a place. */
const maxViews = 100
const maxName = 255
/** Maximum length of a filter as JSON. */
const maxFilter = 4_000

/** Returns the shared views of a place and the caller's own ones, by name. */
export async function findSavedViews(deps: RootDeps, place: ViewPlace, caller: Caller): Promise<SavedView[]> {
  const found = await listViews(deps.db, placeIds(place), caller.user.id, 2 * maxViews)
  return (await seesShared(deps, place, caller)) ? found : found.filter(({ userId }) => userId === caller.user.id)
}

export async function getSavedView(deps: RootDeps, place: ViewPlace, caller: Caller, id: number): Promise<SavedView> {
  const found = await findVisible(deps, place, caller, id)
  const isOwn = found.userId === caller.user.id
  if (!isOwn && !(await seesShared(deps, place, caller))) throw notFound()
  return found
}

/** Everyone can see a public group; its shared views are for those who may read vulnerabilities in it. */
async function seesShared(deps: RootDeps, { group }: ViewPlace, caller: Caller): Promise<boolean> {
  if (!group || (await groupLevel(deps, group, caller)) >= roles.developer) return true
  return (await readableScope(deps, caller, { group })).projectIds.length > 0
}

async function findVisible({ db }: Deps, place: ViewPlace, caller: Caller, id: number): Promise<SavedView> {
  const found = await findView(db, placeIds(place), id, caller.user.id)
  if (!found) throw notFound()
  return found
}

export function createSavedView(deps: Deps, place: ViewPlace, caller: Caller, draft: ViewDraft): Promise<SavedView> {
  return transaction(deps, async (deps) => {
    await assertValid(deps, place, caller, { draft })
    // Concurrent requests of one user wait, so that their number of views stays within the limit.
    await lockUser(deps.db, caller.user.id)
    if ((await countViews(deps.db, placeIds(place), { userId: caller.user.id })) >= maxViews) {
      throw limitReached(`a user may have up to ${maxViews} views of a list`)
    }
    const id = await insertView(deps.db, placeIds(place), { ...draft, userId: caller.user.id, now: deps.now() })
    const created = await findVisible(deps, place, caller, id)
    if (created.isShared) await recordView(deps, 'saved_view_created', place, { after: created })
    return created
  })
}

/** Changes a view: its author's, or a shared one of a place whose shared views the caller manages. */
export async function changeSavedView(
  deps: RootDeps,
  place: ViewPlace,
  caller: Caller,
  { id, changes }: { id: number; changes: Partial<ViewDraft> },
): Promise<SavedView> {
  await getSavedView(deps, place, caller, id)
  return transaction(deps, async (deps) => {
    await lockView(deps.db, id)
    const before = await getOwnOrManaged(deps, place, caller, id)
    const draft: ViewDraft = { ...before, ...withoutUndefined(changes) }
    // Another user would not find their view again.
    if (before.userId !== caller.user.id && !draft.isShared) throw forbidden('Only its author can stop sharing a view.')
    await assertValid(deps, place, caller, { draft, before })
    if (!draft.isShared) await assertUnused(deps, before, 'stop sharing it')
    if (!draft.conditions) await assertUnused(deps, before, 'filter by `me`')
    await updateView(deps.db, id, draft, deps.now())
    const after = await findVisible(deps, place, caller, id)
    if (before.isShared || after.isShared) await recordView(deps, 'saved_view_updated', place, { after, before })
    return after
  })
}

export async function removeSavedView(deps: RootDeps, place: ViewPlace, caller: Caller, id: number): Promise<void> {
  await getSavedView(deps, place, caller, id)
  await transaction(deps, async (deps) => {
    await lockView(deps.db, id)
    const before = await getOwnOrManaged(deps, place, caller, id)
    await assertUnused(deps, before, 'delete it')
    await deleteView(deps.db, id)
    if (before.isShared) await recordView(deps, 'saved_view_destroyed', place, { after: before })
  })
}

/** Opens the list of a place with this view for the caller, or with none. */
export async function setDefaultView(deps: Deps, place: ViewPlace, caller: Caller, view: SavedView | null) {
  await transaction(deps, async (deps) => {
    // Concurrent requests of one user wait, so that they have one default view.
    await lockUser(deps.db, caller.user.id)
    await deleteDefault(deps.db, placeIds(place), caller.user.id)
    if (view) await insertDefault(deps.db, view.id, caller.user.id)
  })
}

/**
 * Prepares a view as the filter of a webhook of the same place, in the transaction that stores the webhook. It must be
 * shared, so that those who manage webhooks can change it, and must not depend on its reader.
 */
export async function assertFiltersHooks(
  deps: Deps,
  place: ViewPlace,
  { id, caller, conditionsOf }: { id: number; caller: Caller; conditionsOf(filter: object): ViewConditions | null },
): Promise<void> {
  await lockView(deps.db, id)
  const view = await findView(deps.db, placeIds(place), id, caller.user.id)
  if (!view?.isShared) throw invalid({ saved_view_id: ['is not a shared view of this list'] })
  // Views that were saved by earlier versions have no conditions yet.
  const conditions = view.conditions ?? conditionsOf(view.filter)
  if (!conditions) throw invalid({ saved_view_id: ['must not filter by `me`'] })
  if (!view.conditions) await updateConditions(deps.db, id, conditions)
}

/** Refuses a change that would leave a webhook without its filter. */
async function assertUnused(deps: Deps, { id }: SavedView, change: string): Promise<void> {
  const hookIds = await hooksOfView(deps, id)
  if (hookIds.length === 0) return
  const hooks = `${hookIds.length === 1 ? 'webhook' : 'webhooks'} ${hookIds.slice(0, 10).join(', ')}`
  throw conflict(`This view filters the ${hooks}. Choose another view there to ${change}.`)
}

async function getOwnOrManaged(deps: Deps, place: ViewPlace, caller: Caller, id: number): Promise<SavedView> {
  const found = await findVisible(deps, place, caller, id)
  if (found.userId !== caller.user.id) await assertMayShare(deps, place, caller)
  return found
}

interface Validated {
  draft: ViewDraft
  before?: SavedView
}

async function assertValid(deps: Deps, place: ViewPlace, caller: Caller, { draft, before }: Validated) {
  const length = [...draft.name.trim()].length
  if (length === 0) throw invalid({ name: ["can't be blank"] })
  if (length > maxName) throw invalid({ name: [`is too long (maximum is ${maxName} characters)`] })
  if (JSON.stringify(draft.filter).length > maxFilter) {
    throw invalid({ filter: [`is too long (maximum is ${maxFilter} characters)`] })
  }
  if (!draft.isShared) return
  await assertMayShare(deps, place, caller)
  if (before?.isShared) return
  if ((await countViews(deps.db, placeIds(place), 'shared')) >= maxViews) {
    throw limitReached(`a list may have up to ${maxViews} shared views`)
  }
}

/** Sharing needs the role Maintainer in a project, Owner in a group, and an administrator for the instance. */
async function assertMayShare(deps: Deps, { project, group }: ViewPlace, caller: Caller): Promise<void> {
  const isPermitted = project
    ? (await projectLevel(deps, project, caller)) >= roles.maintainer
    : group
      ? (await groupLevel(deps, group, caller)) >= roles.owner
      : caller.isAdmin
  if (!isPermitted) throw forbidden()
}

const withoutUndefined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T // only fewer fields

const messages = {
  saved_view_created: 'Shared a saved view',
  saved_view_updated: 'Changed a shared view',
  saved_view_destroyed: 'Deleted a shared view',
} as const satisfies Partial<Record<AuditEventName, string>>

function recordView(
  deps: Deps,
  name: keyof typeof messages,
  place: ViewPlace,
  change: { after: SavedView; before?: SavedView },
): Promise<void> {
  const fields = { name: 'name', filter: 'filter', sort: 'sort', isShared: 'shared' }
  return recordNamedChange(deps, name, place, { message: messages[name], type: 'SavedView', fields, ...change })
}
