import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { wrongUsage } from '../../exit.ts'
import type { Io } from '../../io.ts'
import { defaultStateFile, type ImportScope } from '../gitlab/import-state.ts'

/** Since when objects of a mirror are missing in its source, stored in a file. */
export interface MissingSince {
  /** Returns since when the object is missing: since now, if it was not missing in the last complete copy. */
  since(key: string): string
  /** Forgets the objects that were not asked for since the last call, because they are back or deleted, and saves. */
  finish(): Promise<void>
}

interface StoredMissing extends ImportScope {
  version: 1
  missing: Record<string, string>
}

/** Opens the file. Without one, everything that is missing counts from now, so that nothing is deleted too early. */
export async function openMissingSince(io: Io, scope: ImportScope, option: string | undefined): Promise<MissingSince> {
  const path = option === undefined ? defaultStateFile(io, scope, 'mirror') : resolve(io.cwd, option)
  let before = await read(path, scope)
  let present = new Map<string, string>()
  return {
    since(key) {
      const since = before.get(key) ?? new Date(io.now()).toISOString()
      present.set(key, since)
      return since
    },
    async finish() {
      const stored: StoredMissing = { version: 1, ...scope, missing: Object.fromEntries(present) }
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeFile(`${path}.${process.pid}`, JSON.stringify(stored), { mode: 0o600 })
      await rename(`${path}.${process.pid}`, path)
      before = present
      present = new Map()
    },
  }
}

async function read(path: string, scope: ImportScope): Promise<Map<string, string>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return new Map()
  const stored = parse(text)
  if (!stored) throw wrongUsage(`${path} is not the state of a mirror. Remove it, or choose another file with --state.`)
  const isSame = stored.from === scope.from && stored.to === scope.to && `${stored.groups}` === `${scope.groups}`
  if (!isSame) throw wrongUsage(`${path} belongs to another mirror. Choose another file with --state.`)
  return new Map(Object.entries(stored.missing))
}

function parse(text: string): StoredMissing | undefined {
  try {
    const stored = JSON.parse(text) as Partial<StoredMissing> | null // checked below
    const isComplete = stored?.version === 1 && typeof stored.missing === 'object' && stored.missing !== null
    return isComplete ? (stored as StoredMissing) : undefined // its fields were checked
  } catch {
    return undefined
  }
}
