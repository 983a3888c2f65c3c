export type RecentKeys = ReturnType<typeof openRecentKeys>

/**
 * Opens an approximate set of recent keys: a fixed table of their hashes. It may forget a key, or report one that was never
 * added.
 */
export function openRecentKeys(slots: number) {
  const hashes = new Uint32Array(slots)
  return {
    /** Adds the key. Returns true unless it was in the set. */
    isNew(key: string): boolean {
      let sum = 0x811c9dc5 // FNV-1a
      for (let at = 0; at < key.length; at++) sum = Math.imul(sum ^ key.charCodeAt(at), 0x01000193)
      const slot = (sum >>> 0) % slots
      const isKnown = hashes[slot] === sum >>> 0
      hashes[slot] = sum
      return !isKnown
    },
    clear: (): void => void hashes.fill(0),
  }
}
