import type { SqliteConnection } from './connection.ts'

const maxMappedBytes = 64 * 1024 * 1024

/**
 * Maps the file of a connection into memory, so that reads copy no pages. Returns a function that runs work without the
 * map. A mapped page counts as memory of the process from its first use until it is unmapped.
 */
export function mapPages(database: SqliteConnection): <T>(work: () => Promise<T>) => Promise<T> {
  const map = (bytes: number) => void database.pragma(`mmap_size = ${bytes}`)
  let running = 0
  map(maxMappedBytes)
  return async (work) => {
    if (running++ === 0) map(0)
    try {
      return await work()
    } finally {
      if (--running === 0) map(maxMappedBytes)
    }
  }
}
