import type { BodyOf, ResponseOf } from '@alcove/client'
import { api } from '../../../data/api.ts'
import { createKeyring } from '../../../data/idempotency-keys.ts'
import { store } from '../../../data/store.ts'
import { type Owner, scopeOf, type VulnerabilityRow } from '../../../nouns/vulnerability/owner.ts'
import { actions, type Change, type FieldChange, isOfFindings, type Target } from './triage-change.ts'

/** Completed bulk change of a project or of many, which can be undone. */
export interface Done {
  /** Absent: a change of many projects. */
  projectId?: number
  bulkId: number
  changed: number
  /** Number of dismissals that await approval. */
  requested: number
  unchanged: number
  skipped: readonly { selected: number }[]
}

/** Maximum number of vulnerabilities of many projects whose expected states the API compares. */
const maxChecked = 500

const projectPath = 'POST /projects/{id}/vulnerability_bulk_changes'
const groupPath = 'POST /groups/{id}/vulnerability_bulk_changes'
const instancePath = 'POST /vulnerability_bulk_changes'
type Body = BodyOf<typeof projectPath>
export type ScopeChange = ResponseOf<typeof instancePath>

// Outside React state, like the queue of actions.
const keyring = store.slot(createKeyring)

/** Sends one atomic bulk request, also for a single row, because bulk changes can be undone exactly. */
export async function send(change: Change | FieldChange, target: Target): Promise<readonly Done[]> {
  const body = bodyOf(change, target)
  const { owner } = target
  if (owner.kind === 'project') return [await sendToProject(owner.id, body)]
  if ('filter' in target) return [await sendToScope(owner, body)]
  const rowsOf = new Map<number, VulnerabilityRow[]>()
  for (const row of target.rows) rowsOf.set(row.projectId, [...(rowsOf.get(row.projectId) ?? []), row])
  if (rowsOf.size > 1 && target.rows.length <= maxChecked) return [await sendToScope(owner, body)]
  return sendByProject(change, owner, rowsOf)
}

/** Sends one request per project. Those of earlier projects are reverted when a later one is rejected. */
async function sendByProject(
  change: Change | FieldChange,
  owner: Owner,
  rowsOf: ReadonlyMap<number, VulnerabilityRow[]>,
) {
  const done: Done[] = []
  for (const [projectId, rows] of rowsOf) {
    try {
      done.push(await sendToProject(projectId, bodyOf(change, { rows, owner })))
    } catch (error) {
      await Promise.all(done.filter(({ changed, requested }) => changed + requested > 0).map(undoOne))
      throw error
    }
  }
  return done
}

/** Returns what a change would do. */
export function previewChange(change: Change, target: Target): Promise<ScopeChange> {
  const { expected_count: _, expected_states: __, ...body } = bodyOf(change, target)
  const { owner } = target
  // Only changes of many projects have dry runs.
  const place: Owner =
    owner.kind === 'project' ? { ...owner, kind: 'instance', scope: { project_id: [owner.id] } } : owner
  return postToScope(place, { ...body, dry_run: true })
}

function bodyOf(change: Change | FieldChange, target: Target): Body {
  const body = fieldsOf(change)
  if (isOfFindings(target)) {
    if ('filter' in target) return { ...body, finding_filter: { ...target.filter }, expected_count: target.count }
    return { ...body, finding_ids: target.rows.map(({ findingId }) => findingId) }
  }
  if ('filter' in target) return { ...body, filter: { ...target.filter }, expected_count: target.count }
  const isState = change.action in actions
  const checked = isState ? target.rows.filter(({ isUnchecked }) => !isUnchecked) : []
  return {
    ...body,
    vulnerability_ids: target.rows.map(({ id }) => id),
    ...(checked.length > 0 && { expected_states: Object.fromEntries(checked.map(({ id, state }) => [id, state])) }),
  }
}

function fieldsOf(change: Change | FieldChange) {
  if (change.action === 'assign') return { action: change.action, assignee_id: change.assigneeId }
  if (change.action === 'unassign') return { action: change.action }
  if ('tags' in change) return { action: change.action, tags: [...change.tags] }
  const { action, comment, reason, end, scope } = change
  return { action, comment, ...(action === 'dismiss' && { dismissal_reason: reason, ...end, ...scope }) }
}

async function sendToProject(projectId: number, body: Body): Promise<Done> {
  const request = { path: { id: projectId }, body }
  const {
    id: bulkId,
    changed,
    requested,
    unchanged,
  } = await keyring
    .get()
    .use(JSON.stringify(request), (idempotencyKey) => api.call(projectPath, request, { idempotencyKey }))
  return { projectId, bulkId, changed, requested, unchanged, skipped: [] }
}

async function sendToScope(owner: Owner, body: Body): Promise<Done> {
  const key = JSON.stringify([owner, body])
  const sent = await keyring
    .get()
    .use(key, (idempotencyKey) => postToScope(owner, { ...body, async: true }, idempotencyKey))
  const { id, status, error, ...counts } = await pollChange(sent)
  if (id === null || status === 'failed') throw new Error(error ?? 'the change failed')
  const { changed, requested, unchanged, skipped } = counts
  return { bulkId: id, changed, requested, unchanged, skipped }
}

function postToScope(owner: Owner, body: BodyOf<typeof instancePath>, idempotencyKey?: string): Promise<ScopeChange> {
  const options = { ...(idempotencyKey && { idempotencyKey }) }
  const scoped = { ...scopeOf(owner), ...body }
  return owner.kind === 'instance'
    ? api.call(instancePath, { body: scoped }, options)
    : api.call(groupPath, { path: { id: owner.id }, body: scoped }, options)
}

const pollMs = 500

/** Waits until a large change or its undo is over. */
async function pollChange(sent: ScopeChange): Promise<ScopeChange> {
  let last = sent
  while (last.id !== null && (last.status === 'running' || last.status === 'undoing')) {
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    last = await api.call('GET /vulnerability_bulk_changes/{bulk_id}', { path: { bulk_id: last.id } })
  }
  return last
}

export interface Undone {
  changed: number
  restored: number | null
  /** Requests for approval that the undo withdrew. */
  withdrawn: number | null
}

export async function undoOne({ projectId, bulkId }: Done): Promise<Undone> {
  const path = { bulk_id: bulkId }
  if (projectId !== undefined) {
    const operation = 'POST /projects/{id}/vulnerability_bulk_changes/{bulk_id}/undo'
    return keyring
      .get()
      .use(`undo ${bulkId}`, (idempotencyKey) =>
        api.call(operation, { path: { id: projectId, ...path } }, { idempotencyKey }),
      )
  }
  const operation = 'POST /vulnerability_bulk_changes/{bulk_id}/undo'
  const undone = await keyring
    .get()
    .use(`undo many ${bulkId}`, (idempotencyKey) =>
      api.call(operation, { path, body: { async: true } }, { idempotencyKey }),
    )
  return pollChange(undone)
}
