import { notFound } from '../../../platform/failure.ts'
import { projectEntity } from '../../audit/audit-event.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import { type Deps, type RootDeps, transaction, withRelaxedDurability } from '../../deps.ts'
import { type AnyJobKind, enqueue, jobKind, type Postponed, type RunningJob } from '../../jobs/job.ts'
import { waitFor } from '../../jobs/wait.ts'
import { isStillPermitted } from '../../projects/current-rights.ts'
import type { Project } from '../../projects/project.ts'
import { lockAgainstDeletion } from '../../projects/projects.ts'
import { findProject, type Visitor } from '../../projects/visible.ts'
import {
  addToPromotion,
  deleteBatches,
  deleteOldPromotions,
  endPromotion,
  findPromotion,
  insertBatches,
  insertPromotion,
  listRunningPromotions,
  lockPromotion,
  type StoredPromotion,
  takeBatch,
} from './bulk-promotion-queries.ts'
import { promoteFindings } from './promotion.ts'
import { batchesOf, promoteBatches } from './promotion-batches.ts'

interface PromotionJob {
  promotionId: number
}

const kind = 'promotion'

const batchesPerStatement = 100

/**
 * Stores the findings to promote, split into batches, and queues a job in the same transaction. A crash of the process
 * therefore does not lose them. Waits up to `maxWaitMs` for the job.
 */
export async function promoteInBatches(
  deps: RootDeps,
  project: Project,
  author: Visitor,
  { findingIds, maxWaitMs }: { findingIds: readonly number[]; maxWaitMs: number },
): Promise<StoredPromotion> {
  const id = await transaction(deps, async (deps) => {
    const draft = {
      projectId: project.id,
      userId: author.user.id,
      asAdmin: author.isAdmin,
      total: findingIds.length,
      now: deps.now(),
    }
    const promotionId = await insertPromotion(deps.db, draft)
    for (const batches of batchesOf(findingIds, batchesPerStatement)) await insertBatches(deps.db, promotionId, batches)
    await recordAuditEvent(deps, 'vulnerabilities_promotion_requested', {
      entity: projectEntity(project),
      message: `Requested vulnerabilities for ${findingIds.length} findings`,
      author: author.user,
      extra: { requested: findingIds.length },
    })
    const payload: PromotionJob = { promotionId }
    await enqueue(deps, { kind, key: `${kind}:${project.id}`, owner: `user:${author.user.id}`, payload })
    return promotionId
  })
  const isOver = (found: StoredPromotion | undefined) => found?.state !== 'running'
  const found = await waitFor(deps, 'finding_promotions', () => findPromotion(deps.db, id), { isOver, ms: maxWaitMs })
  if (!found) throw notFound('Project')
  return found
}

export async function getPromotion({ db }: Deps, project: Project, id: number): Promise<StoredPromotion> {
  const found = await findPromotion(db, id)
  if (found?.projectId !== project.id) throw notFound()
  return found
}

/** Runs the promotions of a project one after the other, because they would block each other. */
export const promotionKind: AnyJobKind = jobKind<PromotionJob>({ kind, concurrency: 2, maxAttempts: 10, run, giveUp })

async function run(
  deps: RootDeps,
  { payload: { promotionId }, signal, progress }: RunningJob<PromotionJob>,
): Promise<Postponed | undefined> {
  if (await promoteBatches(signal, () => promoteNext(deps, promotionId))) {
    await transaction(deps, (deps) => endPromotion(deps.db, promotionId, { now: deps.now() }))
    return undefined
  }
  const found = await findPromotion(deps.db, promotionId)
  if (found) await progress(found.promoted + found.unchanged, found.total)
  return { againAt: deps.now() }
}

/**
 * Removes and promotes a batch in one transaction. Returns false when none is left. Fails the rest if the user has lost
 * the permission to promote.
 */
function promoteNext(deps: RootDeps, promotionId: number): Promise<boolean> {
  // Relaxed durability is safe: any later transaction that builds on a batch waits for the disk.
  return withRelaxedDurability(deps, async (deps) => {
    const found = await findPromotion(deps.db, promotionId)
    if (found) await lockAgainstDeletion(deps.db, found.projectId)
    const held = await lockPromotion(deps.db, promotionId)
    const project = held && (await findProject(deps, `${held.projectId}`))
    if (project && !(await isStillPermitted(deps, 'vulnerability.create', project, held))) {
      await failPromotion(deps, promotionId, 'The user who requested it may no longer promote findings.')
      return false
    }
    const findingIds = project && (await takeBatch(deps.db, promotionId))
    if (!findingIds) return false
    const promoted = await promoteFindings(deps, project, held.userId, { findingIds, isAutomatic: false })
    await addToPromotion(deps.db, promotionId, { promoted, unchanged: findingIds.length - promoted })
    return true
  })
}

function giveUp(deps: Deps, { promotionId }: PromotionJob): Promise<void> {
  return failPromotion(deps, promotionId, 'The promotion failed; see the server’s log.')
}

/** Fails the running promotions of a user. Promoted findings stay promoted. */
export async function failPromotionsOf(deps: Deps, userId: number, error: string): Promise<void> {
  for (const id of await listRunningPromotions(deps.db, userId)) await failPromotion(deps, id, error)
}

/** Locks the promotion first, as its job does. A promotion that has ended meanwhile stays as it is. */
async function failPromotion(deps: Deps, promotionId: number, error: string): Promise<void> {
  await lockPromotion(deps.db, promotionId)
  await endPromotion(deps.db, promotionId, { error, now: deps.now() })
  await deleteBatches(deps.db, promotionId)
}

const keptMs = 30 * 24 * 60 * 60 * 1000

/** Deletes promotions that ended more than 30 days ago. */
export async function removeOldPromotions({ db, now }: Deps): Promise<void> {
  await deleteOldPromotions(db, new Date(Date.parse(now()) - keptMs).toISOString())
}
