import { unreadable } from './unreadable.ts'

/** A document without its entries; `offsets` say where its pieces lie in the text. */
export interface RestOfDocument {
  bytes: Buffer
  pieces: { at: number; offset: number }[]
}

export interface RestLimits {
  maxRestBytes: number
  maxRestValues: number
}

/** It is kept in one piece between two entries or chunks; no report needs so many. */
const maxPieces = 50_000

/** Keeps what is beside the entries, as far as anybody holds that in memory. Throws `Unreadable`. */
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
