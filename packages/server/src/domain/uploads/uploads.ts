import { openCache, perDatabase } from '../../db/cache.ts'
import { isForeignKeyViolation } from '../../db/violations.ts'
import { conflict, gone, notFound, refused, tooLarge } from '../../platform/failure.ts'
import type { ReceivedFile } from '../../platform/object-store/objects.ts'
import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { contentTypeOf } from '../files/content-type.ts'
import { sanitizeFilename } from '../files/filename.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import type { User } from '../users/user.ts'
import { recordUploadAudit } from './audited-upload.ts'
import type { UploadFilter } from './filter.ts'
import type { UploadOwner } from './owner.ts'
import { newScan, queueScan } from './scans/scan-uploads.ts'
import type { Upload } from './upload.ts'
import { recordUploadEvent } from './upload-events.ts'
import {
  beginReferences,
  countUploads,
  deleteUploads,
  findUpload,
  findUploadBySecret,
  hideUpload,
  insertUpload,
  listUploads,
  lockOwner,
  showUpload,
  sumFromOutsiders,
} from './upload-queries.ts'
import { addToUsage, findUsage, lockUsage, sumUnfinished, takeFromUsage } from './usage-queries.ts'

export { listObjectKeys } from './upload-queries.ts'

export interface Uploader {
  user: User
  /** Whether the user is a direct or inherited member of the project or group. */
  isMember: boolean
}

/** Secret, time and author of an upload: of a new one, or as an import states them. */
export interface UploadOrigin {
  secret: string
  createdAt: string
  uploader: User | null
}

/**
 * Records an upload of another server with its secret, date and uploader, so that its links remain valid. Returns the
 * upload that already has this address when its content is the same.
 */
export async function importUpload(
  deps: Deps,
  owner: UploadOwner,
  origin: UploadOrigin,
  file: ReceivedFile,
): Promise<Upload> {
  if (origin.createdAt > deps.now()) throw refused('created_at is in the future')
  return transaction(deps, async (deps) => {
    const draft = draftOf(deps, owner, file, origin)
    await lockOwner(deps.db, owner)
    const known = await findUploadBySecret(deps.db, owner, draft.secret, draft.filename)
    if (known && known.deletedAt === null && known.sha256 === file.sha256) return known
    if (known?.deletedAt) throw conflict('this upload was deleted here; restore it, or wait until it has expired')
    if (known) throw conflict('another file has this secret and filename')
    const { upload, hasListeners } = await insertUpload(deps.db, draft, false)
    await beginReferences(deps.db, upload.id, deps.now())
    if (hasListeners) await recordUploadEvent(deps, 'upload_created', upload)
    await claimSpace(deps, owner, file.bytes)
    await recordUploadAudit(deps, 'upload_imported', upload)
    await queueScan(deps, upload)
    file.kept = true
    return upload
  })
}

function draftOf(
  deps: Deps,
  { kind, id }: UploadOwner,
  file: ReceivedFile,
  { secret, createdAt, uploader }: UploadOrigin,
): Omit<Upload, 'id'> {
  const filename = sanitizeFilename(file.filename)
  return {
    owner: { kind, id },
    secret,
    filename,
    contentType: contentTypeOf(filename),
    bytes: file.bytes,
    sha256: file.sha256,
    objectKey: file.key,
    createdAt,
    deletedAt: null,
    uploadedBy: uploader && { id: uploader.id, username: uploader.username, name: uploader.name },
    scan: newScan(deps),
  }
}

/** Records an upload whose bytes are already stored, and makes them the owner's. */
export async function createUpload(
  deps: Deps,
  owner: UploadOwner,
  uploader: Uploader,
  file: ReceivedFile,
): Promise<Upload> {
  const work = (deps: Deps) => recordUpload(deps, owner, uploader, file)
  const upload = await transaction(deps, work, { isBatched: true }).catch((error: unknown) => {
    // The owner, or more rarely the user, was deleted while the bytes were received.
    throw isForeignKeyViolation(error) ? notFound(owner.kind === 'project' ? 'Project' : 'Group') : error
  })
  file.kept = true
  return upload
}

async function recordUpload(
  deps: Deps,
  owner: UploadOwner,
  { user, isMember }: Uploader,
  file: ReceivedFile,
): Promise<Upload> {
  // Insert the row first, because it locks the owner before the usage. Deleting an owner takes its locks in the same
  // order.
  const origin = { secret: deps.random(16).toString('hex'), createdAt: deps.now(), uploader: user }
  const draft = draftOf(deps, owner, file, origin)
  const { upload, hasListeners } = await insertUpload(deps.db, draft, !isMember)
  if (hasListeners) await recordUploadEvent(deps, 'upload_created', upload)
  await claimSpace(deps, owner, file.bytes)
  if (!isMember) await assertWithinShare(deps, owner)
  await queueScan(deps, upload)
  return upload
}

export async function findUploads(
  deps: RootDeps,
  owner: UploadOwner,
  filter: UploadFilter,
  page: PageRequest,
): Promise<Page<Upload>> {
  const [rows, counted] = await Promise.all([
    listUploads(deps.db, owner, filter, page),
    counts(deps.db).get(JSON.stringify([owner.kind, owner.id, filter]), () => countUploads(deps.db, owner, filter)),
  ])
  return pageOf(page, rows, counted)
}

/** Caches totals. Counting is slower than reading a page, and all pages of a list share the total. */
const counts = perDatabase((changes) => openCache<number>(changes, ['uploads'], 1000))

/**
 * Caches uploads, because the files of a text are downloaded whenever it is read. Any change of an upload or a user empties
 * the cache.
 */
const uploads = perDatabase((changes) => openCache<Upload | undefined>(changes, ['uploads', 'users'], 1000))

export async function getUpload({ db }: RootDeps, owner: UploadOwner, id: number): Promise<Upload> {
  const upload = await uploads(db).get(JSON.stringify([owner.kind, owner.id, id]), () => findUpload(db, owner, id))
  if (!upload || upload.deletedAt !== null) throw notFound()
  return upload
}

export async function getUploadBySecret(
  { db }: RootDeps,
  owner: UploadOwner,
  secret: string,
  filename: string,
): Promise<Upload> {
  const key = JSON.stringify([owner.kind, owner.id, secret, filename])
  const upload = await uploads(db).get(key, () => findUploadBySecret(db, owner, secret, filename))
  if (!upload || upload.deletedAt !== null) throw gone()
  return upload
}

/** Hides an upload immediately. It can be restored until its row and bytes are deleted after the grace period. */
export function deleteUpload(deps: Deps, upload: Upload, user: User): Promise<void> {
  return transaction(deps, async (deps) => {
    await lockOwner(deps.db, upload.owner)
    const hidden = await hideUpload(deps.db, upload.id, user.id, deps.now())
    // Only one of two concurrent requests deletes the upload.
    if (!hidden) throw notFound()
    await recordUploadEvent(deps, 'upload_deleted', upload)
    await takeFromUsage(deps.db, upload.owner, upload.bytes)
    await recordUploadAudit(deps, 'upload_destroyed', upload)
  })
}

/** Restores a deleted upload under its former URL, within the grace period. */
export function restoreUpload(deps: Deps, owner: UploadOwner, id: number): Promise<Upload> {
  return transaction(deps, async (deps) => {
    await lockOwner(deps.db, owner)
    const upload = await findUpload(deps.db, owner, id)
    if (!upload || !(await showUpload(deps.db, id, deps.now()))) throw notFound()
    await recordUploadEvent(deps, 'upload_restored', upload)
    await claimSpace(deps, owner, upload.bytes)
    await recordUploadAudit(deps, 'upload_restored', upload)
    return { ...upload, deletedAt: null }
  })
}

export interface UploadLimits {
  maxUploadBytes: number
  quotaBytes: number | null
  usedBytes: number
  /** Announced sizes of unfinished uploads, which count towards the quota. */
  unfinishedBytes: number
  files: number
}

export async function findLimits(deps: Deps, owner: UploadOwner): Promise<UploadLimits> {
  const { files, bytes } = await findUsage(deps.db, owner)
  const { all } = await sumUnfinished(deps.db, owner, deps.now())
  const { quotaBytes } = owner
  return { maxUploadBytes: maxBytesOf(deps, owner), quotaBytes, usedBytes: bytes, unfinishedBytes: all, files }
}

/** Returns the maximum size of a file for this owner. */
function maxBytesOf({ settings }: Deps, { maxUploadBytes }: UploadOwner): number {
  return Math.min(settings.maxUploadBytes, maxUploadBytes ?? settings.maxUploadBytes)
}

/** Returns the maximum size of the next file, and the error message for a larger one. */
export async function roomFor(
  deps: Deps,
  owner: UploadOwner,
  isMember: boolean,
): Promise<{ maxBytes: number; sentence: string }> {
  const max = maxBytesOf(deps, owner)
  if (owner.quotaBytes !== null) {
    const { bytes } = await findUsage(deps.db, owner)
    const reserved = await sumUnfinished(deps.db, owner, deps.now())
    const free = Math.max(0, owner.quotaBytes - bytes - reserved.all)
    const share = isMember
      ? Number.POSITIVE_INFINITY
      : Math.max(0, shareOf(owner) - (await sumFromOutsiders(deps.db, owner)) - reserved.fromOutsiders)
    if (share < Math.min(free, max)) return { maxBytes: share, sentence: shareSentence(owner) }
    if (free < max) return { maxBytes: free, sentence: quotaSentence(owner, bytes + reserved.all) }
  }
  return { maxBytes: max, sentence: `this ${owner.kind} takes files of up to ${readable(max)}` }
}

async function claimSpace(deps: Deps, owner: UploadOwner, bytes: number): Promise<void> {
  const reserved = await lockReserved(deps, owner)
  if (await addToUsage(deps.db, owner, bytes, owner.quotaBytes === null ? null : owner.quotaBytes - reserved)) return
  throw tooLarge(quotaSentence(owner, (await findUsage(deps.db, owner)).bytes + reserved))
}

/** Returns the bytes that unfinished uploads will need, after the usage has been locked. */
async function lockReserved(deps: Deps, owner: UploadOwner): Promise<number> {
  if (owner.quotaBytes === null) return 0
  await lockUsage(deps.db, owner)
  return (await sumUnfinished(deps.db, owner, deps.now())).all
}

/** Returns the maximum size of the next file, as `roomFor`, until the transaction ends. */
export async function lockRoomFor(deps: Deps, owner: UploadOwner, isMember: boolean): ReturnType<typeof roomFor> {
  await lockOwner(deps.db, owner)
  if (owner.quotaBytes !== null) await lockUsage(deps.db, owner)
  return roomFor(deps, owner, isMember)
}

/** Share of a quota that all non-members together may use. */
const outsiderShare = 0.1

const shareOf = ({ quotaBytes }: UploadOwner): number =>
  quotaBytes === null ? Number.POSITIVE_INFINITY : Math.floor(quotaBytes * outsiderShare)

/**
 * Limits uploads of non-members; otherwise any signed-in user could use up the quota of a public project. Requires the
 * lock on the usage row.
 */
async function assertWithinShare({ db, now }: Deps, owner: UploadOwner): Promise<void> {
  if (owner.quotaBytes === null) return
  const { fromOutsiders } = await sumUnfinished(db, owner, now())
  if ((await sumFromOutsiders(db, owner)) + fromOutsiders > shareOf(owner)) throw tooLarge(shareSentence(owner))
}

function shareSentence(owner: UploadOwner): string {
  return `users who are not members may store ${readable(shareOf(owner))} in this ${owner.kind}, all together`
}

function quotaSentence({ kind, quotaBytes }: UploadOwner, usedBytes: number): string {
  return `this ${kind} may store ${readable(quotaBytes ?? 0)} and has ${readable(usedBytes)} in use`
}

function readable(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

/** Deletes uploads whose objects are lost. */
export async function dropUploads({ db }: Deps, ids: readonly number[]): Promise<void> {
  await deleteUploads(db, ids)
}
