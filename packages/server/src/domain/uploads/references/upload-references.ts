import { type ExpiredRows, expiredRows } from '../../../db/expired-rows.ts'
import { invalid } from '../../../platform/failure.ts'
import { type Deps, type RootDeps, transaction } from '../../deps.ts'
import type { Project } from '../../projects/project.ts'
import { recordUploadAudit } from '../audited-upload.ts'
import { lockUpload } from '../links/upload-link-queries.ts'
import type { UploadOwner } from '../owner.ts'
import type { Upload } from '../upload.ts'
import { recordUploadEvent } from '../upload-events.ts'
import { findUpload, hideUpload, lockOwner } from '../upload-queries.ts'
import { takeFromUsage } from '../usage-queries.ts'
import {
  countUnreferenced,
  deleteReferences,
  endReferences,
  findFirstRecording,
  insertReferences,
  isUnreferenced,
  listByLinks,
  listUnreferenced,
  listUses,
  type ReferencedUpload,
  upsertSource,
} from './upload-reference-queries.ts'

const maxSourceLength = 1000

/** Uploads that a source refers to. */
export interface RecordedReferences {
  source: string
  uploads: ReferencedUpload[]
  /** Number of links to uploads of this project that do not exist. */
  unknown: number
}

/**
 * Records which uploads of a project the texts of a source refer to, in place of what the source referred to before. A
 * source without texts refers to nothing.
 */
export function recordReferences(
  deps: Deps,
  project: Project,
  source: string,
  texts: readonly string[],
): Promise<RecordedReferences> {
  if (source.length > maxSourceLength) {
    throw invalid({ source: [`is too long (maximum is ${maxSourceLength} characters)`] })
  }
  const links = findLinksToUploads(project.id, texts)
  return transaction(deps, async (deps) => {
    // Requests about one source run one after the other.
    const sourceId = await upsertSource(deps.db, project.id, source, deps.now())
    const found = await listByLinks(deps.db, project.id, [...links.keys()])
    const uploads = found.map((upload) => ({ ...upload, uses: links.get(upload.secret) ?? 0 }))
    await endReferences(deps.db, sourceId, deps.now())
    await deleteReferences(deps.db, sourceId)
    await insertReferences(deps.db, sourceId, uploads)
    return { source, uploads, unknown: links.size - uploads.length }
  })
}

/** Returns how often the texts refer to each upload of the project, by its secret. */
function findLinksToUploads(projectId: number, texts: readonly string[]): Map<string, number> {
  const links = new Map<string, number>()
  for (const text of texts) {
    for (const [, foreign, secret = ''] of text.matchAll(link)) {
      if (foreign === undefined || Number(foreign) === projectId) links.set(secret, (links.get(secret) ?? 0) + 1)
    }
  }
  return links
}

/** Addresses in Markdown (`/uploads/secret/`) and of the web (`/-/project/42/uploads/secret/`), also in rendered HTML. */
const link = /(?:\/-\/project\/(\d{1,15}))?\/uploads\/([0-9a-f]{10,32})\//g

/** How texts use an upload. */
export interface UploadUse {
  count: number
  /** Since when no text refers to the upload; null while one does, or as long as no references are recorded. */
  unreferencedSince: string | null
}

/** Returns how texts use uploads of one owner, by the id of the upload. Groups have no references. */
export async function findUses(
  { db }: Deps,
  owner: UploadOwner,
  uploads: readonly Upload[],
): Promise<ReadonlyMap<number, UploadUse>> {
  if (owner.kind === 'group' || uploads.length === 0) return new Map()
  const createdAt = new Map(uploads.map((upload) => [upload.id, upload.createdAt]))
  const [first, rows] = await Promise.all([findFirstRecording(db, owner.id), listUses(db, [...createdAt.keys()])])
  return new Map(
    rows.map(({ id, uses, referenceEndedAt }) => {
      const times = [first ?? '', createdAt.get(id) ?? '', referenceEndedAt ?? ''].sort()
      return [id, { count: uses, unreferencedSince: first === undefined || uses > 0 ? null : (times.at(-1) ?? null) }]
    }),
  )
}

const dayMs = 24 * 60 * 60 * 1000
const batchSize = 100

const before = ({ now, settings }: Deps) =>
  new Date(Date.parse(now()) - settings.unreferencedUploadDays * dayMs).toISOString()

/** Counts the uploads that the next run of `trashUnreferencedUploads` deletes. */
export async function countUnreferencedUploads(deps: RootDeps): Promise<ExpiredRows> {
  if (deps.settings.unreferencedUploadDays === 0) return expiredRows(0, null)
  return countUnreferenced(deps.db, before(deps), deps.now())
}

/**
 * Deletes uploads that no text has referred to for the period of retention. They can be restored within the grace period.
 * Uploads of projects without recorded references stay, as do those with a link that has not expired.
 */
export async function trashUnreferencedUploads(deps: RootDeps): Promise<void> {
  if (deps.settings.unreferencedUploadDays === 0) return
  for (let taken = batchSize; taken === batchSize; ) {
    const found = await listUnreferenced(deps.db, { before: before(deps), now: deps.now(), limit: batchSize })
    for (const { id, projectId } of found) await trash(deps, { kind: 'project', id: projectId }, id)
    taken = found.length
  }
}

function trash(deps: Deps, owner: Pick<UploadOwner, 'kind' | 'id'>, id: number): Promise<void> {
  return transaction(deps, async (deps) => {
    await lockOwner(deps.db, owner)
    // A text may have begun to refer to the upload since it was listed.
    const isLocked = await lockUpload(deps.db, id)
    if (!isLocked || !(await isUnreferenced(deps.db, id, { before: before(deps), now: deps.now() }))) return
    const upload = await findUpload(deps.db, { ...owner }, id)
    if (!upload || !(await hideUpload(deps.db, id, null, deps.now()))) return
    await recordUploadEvent(deps, 'upload_deleted', upload)
    await takeFromUsage(deps.db, owner, upload.bytes)
    await recordUploadAudit(deps, 'upload_destroyed', upload, { reason: 'no text refers to it' })
  })
}
