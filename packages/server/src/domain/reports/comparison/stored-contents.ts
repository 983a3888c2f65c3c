import { allocateMapped } from '../../../platform/mapped-buffer.ts'
import { hashKey } from './key-table.ts'

/**
 * Hashes of the uuid and digest of stored findings, two numbers each. Contents with the same hashes cannot be
 * constructed, because the digest is a cryptographic hash.
 */
export type StoredContents = Uint32Array<ArrayBuffer>

export const packContents = (stored: readonly { uuid: string; digest: string }[]): StoredContents =>
  Uint32Array.from(stored.flatMap(({ uuid, digest }) => hashKey(uuid + digest)))

/** Maximum part of the slots of the hash table that are in use. */
const maxLoad = 0.75

/**
 * Returns a function that returns true if a finding is stored with this uuid and digest. The number of contents is known, so
 * its hash table takes 11 bytes for each, less than a `KeyTable`.
 */
export function findContents(stored: StoredContents): (uuid: string, digest: string) => boolean {
  const slots = Math.ceil(stored.length / 2 / maxLoad) + 1
  /** Two numbers for each slot; an empty slot has two zeros. */
  const table = new Uint32Array(allocateMapped(2 * slots * Uint32Array.BYTES_PER_ELEMENT))
  const indexOf = (high: number, low: number): number => {
    let slot = Math.floor((high / 2 ** 32) * slots)
    for (;;) {
      const [h, l] = [table[2 * slot], table[2 * slot + 1]]
      if ((h === high && l === low) || (h === 0 && l === 0)) return 2 * slot
      slot = (slot + 1) % slots
    }
  }
  for (let at = 0; at < stored.length; at += 2) {
    const [high, low] = [stored[at] ?? 0, stored[at + 1] ?? 0]
    const index = indexOf(high, low)
    table[index] = high
    table[index + 1] = low
  }
  return (uuid, digest) => {
    const [high, low] = hashKey(uuid + digest)
    const index = indexOf(high, low)
    return table[index] === high && table[index + 1] === low && (high !== 0 || low !== 0)
  }
}
