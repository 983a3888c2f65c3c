import type { Schemas } from '@alcove/client'
import { formatBytes } from '../../components/format.ts'
import { texts } from './texts.ts'

export type UploadLimits = Schemas['UploadLimits']

export interface Room {
  /** Remaining bytes of the quota; undefined without a quota. */
  left: number | undefined
  maxBytes: number
}

export function roomIn({ quota_bytes: quota, used_bytes: used, max_upload_bytes: maxBytes }: UploadLimits): Room {
  return { left: quota === null ? undefined : Math.max(0, quota - used), maxBytes }
}

/** Reason why a file is rejected before it is sent. */
export interface Refusal {
  problem: string
  /** True: the same file is rejected every time, whatever else is deleted. */
  isPermanent: boolean
}

/** Checks a file against the limits. Returns undefined if it fits. */
export function refusalFor(bytes: number, { left, maxBytes }: Room): Refusal | undefined {
  const size = formatBytes(bytes)
  if (bytes > maxBytes) {
    return { problem: texts.fileIsMaximum(size, formatBytes(maxBytes)), isPermanent: true }
  }
  if (left !== undefined && bytes > left) {
    return { problem: texts.fileIsSpaceLeft(size, formatBytes(left)), isPermanent: false }
  }
  return undefined
}

/** Describes the limits for new files. */
export function limitSentence(limits: UploadLimits): string {
  const { left, maxBytes } = roomIn(limits)
  if (left === 0) return texts.noStorageSpaceLeft
  if (left !== undefined && left < maxBytes) return texts.ofSpaceLeft(formatBytes(left))
  const max = texts.filesOfUpToEach(formatBytes(maxBytes))
  return left === undefined ? `${max}.` : texts.inAll(max, formatBytes(left))
}

export function usageSentence(limits: UploadLimits): string {
  const { files, used_bytes: used, unfinished_bytes: unfinished, quota_bytes: quota } = limits
  const stored = `${texts.file(files)}, ${formatBytes(used)}`
  const rest = unfinished > 0 ? texts.inUnfinishedUploads(formatBytes(unfinished)) : ''
  return quota === null ? `${stored}${rest}` : texts.of(stored, formatBytes(quota), rest)
}
