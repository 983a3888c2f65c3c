import type { FingerprintKey } from '../formats/identity/result-fingerprints.ts'
import { hashKey, startKeyTable } from './key-table.ts'

/** Records which fingerprints occur more than once in a report. */
export interface RepeatedKeys {
  addAll: (keys: readonly FingerprintKey[]) => void
  isRepeated: (key: string) => boolean
}

export function startRepeatedKeys(): RepeatedKeys {
  const [once, again] = [startKeyTable(), startKeyTable()]
  return {
    addAll(keys) {
      for (const { inFile, anywhere } of keys) {
        for (const hash of [inFile, anywhere].map(hashKey)) {
          if (once.find(hash) === undefined) once.add(hash, 0)
          else again.add(hash, 0)
        }
      }
    },
    isRepeated: (key) => again.find(hashKey(key)) !== undefined,
  }
}
