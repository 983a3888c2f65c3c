import type { Codes } from './codes.ts'

/** Codes that are added to. They lie beside the heap, and none is ever copied: what grows leaves nothing to collect. */
export interface GrowingCodes extends Codes {
  add(code: number): void
  /** How many there is memory for. */
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
