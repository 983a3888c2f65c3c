import type { SqliteConnection } from './connection.ts'

const maxMappedBytes = 64 * 1024 * 1024

/**
 * Maps the file of a connection, so that reads need no copy of its pages. Returns a function that runs work without it:
 * pages count as memory of the process from their first use until they are unmapped.
 */
export function mapPages(database: SqliteConnection): <T>(work: () => Promise<T>) => Promise<T> {
  const map = (bytes: number) => void database.pragma(`mmap_size = ${bytes}`)
  let working = 0
  map(maxMappedBytes)
  return async (work) => {
    if (working++ === 0) map(0)
    try {
      return await work()
    } finally {
      if (--working === 0) map(maxMappedBytes)
    }
  }
}
