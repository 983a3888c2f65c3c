import { hashKey } from './key-table.ts'

/**
 * Hashes of the uuid and digest of stored findings, two numbers each. Contents with the same hashes cannot be
 * constructed, because the digest is a cryptographic hash.
 */
export type StoredContents = Uint32Array<ArrayBuffer>

export const packContents = (stored: readonly { uuid: string; digest: string }[]): StoredContents =>
  Uint32Array.from(stored.flatMap(({ uuid, digest }) => hashKey(uuid + digest)))

const maxLoad = 0.75

/**
 * Returns a function that returns true if a finding is stored with this uuid and digest. Its number of contents is known, so
 * the table is smaller than a `KeyTable`: 11 bytes for each.
 */
export function findContents(stored: StoredContents): (uuid: string, digest: string) => boolean {
  const slots = Math.ceil(stored.length / 2 / maxLoad) + 1
  /** Two halves for each slot; zeros mark an empty one. */
  const table = new Uint32Array(2 * slots)
  const placeOf = (high: number, low: number): number => {
    let slot = Math.floor((high / 2 ** 32) * slots)
    for (;;) {
      const [h, l] = [table[2 * slot], table[2 * slot + 1]]
      if ((h === high && l === low) || (h === 0 && l === 0)) return 2 * slot
      slot = (slot + 1) % slots
    }
  }
  for (let at = 0; at < stored.length; at += 2) {
    const [high, low] = [stored[at] ?? 0, stored[at + 1] ?? 0]
    const place = placeOf(high, low)
    table[place] = high
    table[place + 1] = low
  }
  return (uuid, digest) => {
    const [high, low] = hashKey(uuid + digest)
    const place = placeOf(high, low)
    return table[place] === high && table[place + 1] === low && (high !== 0 || low !== 0)
  }
}
