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

/** Maximum number of pieces. Each gap between entries or chunks is one; valid reports need far fewer. */
const maxPieces = 50_000

/** Collects the parts of a document outside its entries. Throws `Unreadable` when they exceed the limits. */
export function openRest({ maxRestBytes, maxRestValues }: RestLimits) {
  const kept: Buffer[] = []
  const pieces: RestOfDocument['pieces'] = []
  let total = 0
  let values = 0
  return {
    keep(bytes: Buffer, offset: number): void {
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
      kept.push(Buffer.from(bytes))
    },
    count(more: number): void {
      values += more
      if (values > maxRestValues) {
        throw unreadable(`The report holds more than ${maxRestValues} values besides its findings.`)
      }
    },
    end: (): RestOfDocument => ({ bytes: Buffer.concat(kept), pieces }),
  }
}
