import type { Schemas } from '@alcove/client'
import { counted, formatBytes } from '../../components/format.ts'
import type { UploadOwner } from './owner.ts'

export type UploadLimits = Schemas['UploadLimits']

export interface Room {
  /** Bytes that the quota leaves; undefined where there is none. */
  left: number | undefined
  maxBytes: number
}

export function roomIn({ quota_bytes: quota, used_bytes: used, max_upload_bytes: maxBytes }: UploadLimits): Room {
  return { left: quota === null ? undefined : Math.max(0, quota - used), maxBytes }
}

/** Why a file of this size would be refused; undefined when it would not. */
export function refusalFor(bytes: number, { left, maxBytes }: Room, kind: UploadOwner['kind']): string | undefined {
  const size = formatBytes(bytes)
  if (bytes > maxBytes) return `It is ${size}; this ${kind} takes files of up to ${formatBytes(maxBytes)}.`
  if (left !== undefined && bytes > left) return `It is ${size}; this ${kind} has ${formatBytes(left)} of space left.`
  return undefined
}

/** What may be uploaded. */
export function limitSentence(limits: UploadLimits): string {
  const { left, maxBytes } = roomIn(limits)
  if (left === 0) return 'There is no space left.'
  if (left !== undefined && left < maxBytes) return `${formatBytes(left)} of space left.`
  const most = `Files of up to ${formatBytes(maxBytes)} each`
  return left === undefined ? `${most}.` : `${most}, ${formatBytes(left)} in all.`
}

export function usageSentence({ files, used_bytes: used, quota_bytes: quota }: UploadLimits): string {
  const stored = `${counted(files, 'file')}, ${formatBytes(used)}`
  return quota === null ? stored : `${stored} of ${formatBytes(quota)}`
}
