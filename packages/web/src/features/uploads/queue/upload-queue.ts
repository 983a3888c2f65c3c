import { RequestFailed, type Schemas } from '@alcove/client'
import { useMemo, useSyncExternalStore } from 'react'
import { formatBytes } from '../../../components/format.ts'
import { api, isFailure, queries } from '../../../data/api.ts'
import { isOutcomeUnknown, newIdempotencyKey } from '../../../data/idempotency-keys.ts'
import { NotSent, sendForm } from '../../../data/send-form.ts'
import { store } from '../../../data/store.ts'
import { refusalFor, roomIn } from '../limits.ts'
import { fileFromResponse, keyOf, operationsOf, type StoredFile, type UploadOwner } from '../owner.ts'
import { texts } from '../texts.ts'
import { isResumable, sendResumable } from './send-resumable.ts'

/** File in the upload queue. */
export interface QueuedFile {
  key: number
  owner: UploadOwner
  name: string
  bytes: number
  state: 'waiting' | 'sending' | 'paused' | 'done' | 'failed' | 'cancelled'
  sentBytes: number
  /** Start of the upload, or of its continuation, in the time of `performance.now()`. */
  startedAt: number
  /** Bytes that had arrived before that start; undefined until the first progress of a resumable upload. */
  earlierBytes?: number | undefined
  /** True: the connection was lost, and the upload continues by itself. */
  isReconnecting?: boolean
  /** Error message. */
  problem?: string
  /** True: sending the same file again cannot succeed. */
  isPermanent?: boolean
  stored?: StoredFile
}

/** Upload that has begun. Resumable ones can be paused. */
interface Begun {
  cancel: () => void
  pause?: () => void
  resume?: () => void
}

const maxConcurrent = 3

// Outside React state: uploads continue while the user opens other pages.
export const queue = store.slot<readonly QueuedFile[]>(() => [])
const sending = store.slot(() => ({
  lastKey: 0,
  files: new Map<number, File>(),
  /** Keys of the files that passed the limits. */
  ready: new Set<number>(),
  /** Uploads that have begun, also paused ones. */
  begun: new Map<number, Begun>(),
  /** Idempotency keys of uploads whose outcome is unknown; a retry sends the same key. */
  idempotencyKeys: new Map<number, string>(),
  willRefresh: false,
}))

/** Returns the queued files of an owner. */
export function useQueue(owner: UploadOwner): readonly QueuedFile[] {
  const all = useSyncExternalStore(queue.subscribe, queue.get)
  const wanted = keyOf(owner)
  return useMemo(() => all.filter((item) => keyOf(item.owner) === wanted), [all, wanted])
}

export function isActive({ state }: QueuedFile): boolean {
  return state === 'waiting' || state === 'sending'
}

/** Returns true for files that have been uploaded, failed or were canceled. */
export function isFinished({ state }: QueuedFile): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled'
}

/** Queues files for upload in this order, a few at a time. Returns their keys. */
export function addFiles(owner: UploadOwner, chosen: readonly File[]): number[] {
  const now = sending.get()
  const added = chosen.map((file): QueuedFile => {
    now.lastKey++
    now.files.set(now.lastKey, file)
    const { name, size: bytes } = file
    return { key: now.lastKey, owner, name, bytes, state: 'waiting', sentBytes: 0, startedAt: 0 }
  })
  show([...queue.get(), ...added])
  void checkLimits(owner, added)
  return added.map(({ key }) => key)
}

export function cancelFile(key: number): void {
  const begun = sending.get().begun.get(key)
  if (begun) begun.cancel()
  else fail(key, new NotSent(true))
}

/** Pauses a resumable upload. What has arrived stays on the server for a day. */
export function pauseFile(key: number): void {
  const pause = sending.get().begun.get(key)?.pause
  if (!pause) return
  pause()
  change(key, { state: 'paused', isReconnecting: false })
  sendNext()
}

export function resumeFile(key: number): void {
  if (queue.get().find((item) => item.key === key)?.state !== 'paused') return
  sending.get().ready.add(key)
  change(key, { state: 'waiting' })
  sendNext()
}

export function retryFile(key: number): void {
  const item = queue.get().find((item) => item.key === key)
  if (!item || isActive(item) || item.state === 'paused') return
  const { problem: _, isPermanent: __, ...rest } = item
  const again: QueuedFile = { ...rest, state: 'waiting', sentBytes: 0 }
  show(queue.get().map((item) => (item.key === key ? again : item)))
  void checkLimits(item.owner, [again])
}

/** Removes finished files from the list. */
export function removeFinished(owner: UploadOwner): void {
  const isKept = (item: QueuedFile) => !isFinished(item) || keyOf(item.owner) !== keyOf(owner)
  for (const { key } of queue.get().filter((item) => !isKept(item))) {
    sending.get().files.delete(key)
    sending.get().idempotencyKeys.delete(key)
  }
  show(queue.get().filter(isKept))
}

/** Checks files against the limits before sending. If the limits cannot be loaded, only the server checks them. */
async function checkLimits(owner: UploadOwner, items: readonly QueuedFile[]): Promise<void> {
  const limits = await api.call(operationsOf(owner).limits, { path: { id: owner.id } }).catch(() => undefined)
  const room = limits && roomIn(limits)
  for (const { key, bytes } of items) {
    const isGone = queue.get().find((item) => item.key === key)?.state !== 'waiting'
    if (isGone) continue
    const refusal = room && refusalFor(bytes, room)
    if (refusal) change(key, { state: 'failed', ...refusal })
    else {
      sending.get().ready.add(key)
      if (room?.left !== undefined) room.left -= bytes
    }
  }
  sendNext()
}

function sendNext(): void {
  const { files, ready, begun } = sending.get()
  for (const item of queue.get()) {
    const { key, state } = item
    const file = files.get(key)
    if (state !== 'waiting' || !ready.has(key) || !file) continue
    if (queue.get().filter(({ state }) => state === 'sending').length >= maxConcurrent) return
    ready.delete(key)
    change(key, { state: 'sending', startedAt: performance.now(), earlierBytes: undefined })
    const resume = begun.get(key)?.resume
    if (resume) resume()
    else begun.set(key, isResumable(item) ? beginResumable(item, file) : beginWhole(item, file))
  }
}

function beginWhole({ key, owner }: QueuedFile, file: File): Begun {
  const { idempotencyKeys } = sending.get()
  const address = api.address(operationsOf(owner).create, { path: { id: owner.id } })
  const onProgress = (sent: number) => change(key, { sentBytes: Math.min(sent, file.size) })
  const idempotencyKey = idempotencyKeys.get(key) ?? newIdempotencyKey()
  idempotencyKeys.set(key, idempotencyKey)
  const { response, cancel } = sendForm<Schemas['Upload']>(address, { file }, onProgress, idempotencyKey)
  void response.then(
    (upload) => finish(key, fileFromResponse(upload, file)),
    (error) => fail(key, error),
  )
  return { cancel }
}

function beginResumable({ key, owner }: QueuedFile, file: File): Begun {
  const { response, ...begun } = sendResumable(owner, file, {
    onProgress(sentBytes) {
      const item = queue.get().find((item) => item.key === key)
      const earlierBytes = item?.earlierBytes ?? sentBytes
      change(key, { sentBytes, earlierBytes, isReconnecting: false })
    },
    onReconnect: () => change(key, { isReconnecting: true }),
  })
  void response.then(
    (stored) => finish(key, stored),
    (error) => fail(key, error),
  )
  return begun
}

function finish(key: number, stored: StoredFile): void {
  const { files, begun, idempotencyKeys } = sending.get()
  begun.delete(key)
  idempotencyKeys.delete(key)
  files.delete(key)
  change(key, { state: 'done', sentBytes: stored.bytes, stored })
  refreshSoon()
  sendNext()
}

function fail(key: number, error: Error): void {
  const { ready, begun, idempotencyKeys } = sending.get()
  begun.delete(key)
  ready.delete(key)
  if (!isOutcomeUnknown(error)) idempotencyKeys.delete(key)
  const item = queue.get().find((item) => item.key === key)
  if (!item) return
  if (isFailure(error, 401)) void queries.invalidateQueries({ queryKey: ['GET /-/session'] })
  if (error instanceof NotSent && error.isCancelled) change(key, { state: 'cancelled' })
  else change(key, { state: 'failed', isReconnecting: false, problem: problemOf(item, error) })
  sendNext()
}

function problemOf({ bytes }: QueuedFile, error: Error): string {
  const isTooLarge = error instanceof RequestFailed && error.status === 413
  return `${isTooLarge ? texts.fileIs(formatBytes(bytes)) : ''}${withStop(error.message)}`
}

function withStop(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}

const refreshMs = 400

/** Refetches once for several files that finish at about the same time. */
function refreshSoon(): void {
  const now = sending.get()
  if (now.willRefresh) return
  now.willRefresh = true
  setTimeout(() => {
    now.willRefresh = false
    void queries.invalidateQueries()
  }, refreshMs)
}

function change(key: number, changes: Partial<QueuedFile>): void {
  show(queue.get().map((item) => (item.key === key ? { ...item, ...changes } : item)))
}

function show(next: readonly QueuedFile[]): void {
  if (next.some(isActive)) addEventListener('beforeunload', confirmLeave)
  else removeEventListener('beforeunload', confirmLeave)
  queue.set(next)
}

/** Asks before leaving the page, because active uploads would be aborted. */
function confirmLeave(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
