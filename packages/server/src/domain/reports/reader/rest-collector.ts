import { unreadable } from './unreadable.ts'

/** A document without its entries. `pieces` maps positions in `bytes` to offsets in the text. */
export interface RestOfDocument {
  bytes: Buffer
  pieces: { at: number; offset: number }[]
}

export interface RestLimits {
  maxRestBytes: number
  maxRestValues: number
}

/** Collects the parts of a document outside its entries. Throws `Unreadable` when they exceed the limits. */
export interface RestCollector {
  /** Adds bytes at this offset of the text. */
  add: (bytes: Buffer, offset: number) => void
  /** Counts values in the collected bytes. */
  count: (values: number) => void
  end: () => RestOfDocument
}

/** Maximum number of pieces. Each gap between entries or chunks is one; valid reports need far fewer. */
const maxPieces = 50_000

export function openRest({ maxRestBytes, maxRestValues }: RestLimits): RestCollector {
  const collected: Buffer[] = []
  const pieces: RestOfDocument['pieces'] = []
  let total = 0
  let values = 0
  return {
    add(bytes, offset) {
      if (bytes.length === 0) return
      const at = total
      total += bytes.length
      if (total > maxRestBytes) {
        const mebibytes = Math.floor(maxRestBytes / 1024 / 1024)
        throw unreadable(`The report holds more than ${mebibytes} MiB besides its findings.`)
      }
      if (pieces.push({ at, offset }) > maxPieces) {
        throw unreadable(`The report is made of more than ${maxPieces} parts besides its findings.`)
      }
      collected.push(Buffer.from(bytes))
    },
    count(more) {
      values += more
      if (values > maxRestValues) {
        throw unreadable(`The report holds more than ${maxRestValues} values besides its findings.`)
      }
    },
    end: () => ({ bytes: Buffer.concat(collected), pieces }),
  }
}

/** Ignores the parts outside the entries, for a pass that reads entries only. */
export const noRest: RestCollector = {
  add: () => {},
  count: () => {},
  end: () => ({ bytes: Buffer.alloc(0), pieces: [] }),
}
