import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'

export function randomUuid({ random }: Pick<Deps, 'random'>): string {
  return uuidOf(random(16), 4)
}

/** Returns a UUID that is derived from the text, so that equal texts give equal UUIDs. */
export function uuidFrom(text: string): string {
  return uuidOf(createHash('sha256').update(text).digest().subarray(0, 16), 8)
}

function uuidOf(bytes: Buffer, version: number): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | (version << 4), 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
