import { setImmediate } from 'node:timers/promises'
import { leastLength } from './likeness.ts'

const bucketCount = 256
/** Maximum number of words, because a word's hash (32 bits) and number (20 bits) share one float. */
export const maxWords = 2 ** 20
const wordsPerSlice = 1000
/** Maximum number of words with the same hash. A more common hash gives no evidence. */
const maxAlike = 50

/**
 * Calls `pair` with the numbers of words that may be one edit apart, because their hashes without one character agree.
 * Pairs may repeat and may be false positives. Yields to the event loop while sorting.
 */
export async function findNeighbours(
  words: readonly string[],
  pair: (first: number, second: number) => void,
): Promise<void> {
  const buckets = Array.from({ length: bucketCount }, () => ({ held: new Float64Array(1024), size: 0 }))
  const add = (hash: number, index: number) => {
    const bucket = buckets[hash >>> 24]
    if (!bucket) return
    if (bucket.size === bucket.held.length) {
      const larger = new Float64Array(2 * bucket.size)
      larger.set(bucket.held)
      bucket.held = larger
    }
    bucket.held[bucket.size++] = (hash >>> 0) * maxWords + index
  }
  for (let start = 0; start < words.length; start += wordsPerSlice) {
    for (let index = start; index < Math.min(start + wordsPerSlice, words.length); index++)
      addHashes(words[index] ?? '', index, add)
    await setImmediate()
  }
  for (const { held, size } of buckets) {
    const sorted = held.subarray(0, size).sort()
    for (let start = 0, end = 0; start < size; start = end) {
      const hash = Math.floor((sorted[start] ?? 0) / maxWords)
      while (end < size && Math.floor((sorted[end] ?? 0) / maxWords) === hash) end++
      if (end - start > maxAlike) continue
      for (let first = start; first < end; first++) {
        for (let second = first + 1; second < end; second++) {
          pair((sorted[first] ?? 0) % maxWords, (sorted[second] ?? 0) % maxWords)
        }
      }
    }
    await setImmediate()
  }
}

const factor = 0x0100_0193
const suffixes = new Int32Array(1024)

/**
 * Adds the hashes of the word and of the word without each of its characters. Each polynomial hash combines those of a
 * prefix and a suffix.
 */
function addHashes(word: string, index: number, add: (hash: number, index: number) => void): void {
  const { length } = word
  if (length < leastLength || length >= suffixes.length) return
  suffixes[length] = 0
  for (let at = length - 1; at >= 0; at--) {
    suffixes[at] = (word.charCodeAt(at) + Math.imul(factor, suffixes[at + 1] ?? 0)) | 0
  }
  add(mix(suffixes[0] ?? 0), index)
  let prefix = 0
  let power = 1
  for (let at = 0; at < length; at++) {
    const code = word.charCodeAt(at)
    // Removing any character of a run of equal characters gives the same word.
    if (code !== word.charCodeAt(at + 1)) add(mix((prefix + Math.imul(power, suffixes[at + 1] ?? 0)) | 0), index)
    prefix = (prefix + Math.imul(power, code)) | 0
    power = Math.imul(power, factor)
  }
}

/** Mixes the bits, so that similar hashes fall into different buckets. */
function mix(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x45d9_f3b5)
  return half ^ (half >>> 15)
}
