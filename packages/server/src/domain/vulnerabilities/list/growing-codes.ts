import type { Codes } from './codes.ts'

/** An append-only list of keys. Its chunks are outside the heap and never copied, so growth leaves no garbage. */
export interface GrowingCodes extends Codes {
  add(code: number): void
  /** Capacity of the allocated chunks. */
  readonly room: number
}

const chunkLength = 1024

export function growingCodes(): GrowingCodes {
  const chunks: Float64Array[] = []
  let length = 0
  return {
    get length() {
      return length
    },
    get room() {
      return chunks.length * chunkLength
    },
    at: (index) => (index < length ? chunks[Math.floor(index / chunkLength)]?.[index % chunkLength] : undefined),
    add(code) {
      const place = length % chunkLength
      const chunk = (place > 0 && chunks.at(-1)) || new Float64Array(chunkLength)
      if (place === 0) chunks.push(chunk)
      chunk[place] = code
      length++
    },
  }
}
