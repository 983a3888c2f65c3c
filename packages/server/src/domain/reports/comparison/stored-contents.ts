import { hashKey, startKeyTable } from './key-table.ts'

/**
 * Hashes of the uuid and digest of stored findings, two numbers each. Contents with the same hashes cannot be
 * constructed, because the digest is a cryptographic hash.
 */
export type StoredContents = Uint32Array<ArrayBuffer>

export const packContents = (stored: readonly { uuid: string; digest: string }[]): StoredContents =>
  Uint32Array.from(stored.flatMap(({ uuid, digest }) => hashKey(uuid + digest)))

/** Returns a function that returns true if a finding is stored with this uuid and digest. */
export function findContents(stored: StoredContents): (uuid: string, digest: string) => boolean {
  const table = startKeyTable()
  for (let at = 0; at < stored.length; at += 2) table.add([stored[at] ?? 0, stored[at + 1] ?? 0], 0)
  return (uuid, digest) => table.find(hashKey(uuid + digest)) !== undefined
}
