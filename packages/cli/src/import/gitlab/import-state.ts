import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { wrongUsage } from '../../exit.ts'
import type { Io } from '../../io.ts'

/** Progress of an import, stored in a file so that a killed import can go on. */
export interface ImportState {
  isDone(kind: string, sourceId: string): boolean
  /** Records that an object has been copied. The file follows within a second, or with `save`. */
  markDone(kind: string, sourceId: string): Promise<void>
  save(): Promise<void>
  /** Removes the file after a complete import. */
  remove(): Promise<void>
}

/** What an import copies. A state belongs to one selection. */
export interface ImportScope {
  from: string
  to: string
  groups: readonly string[]
}

interface StoredState extends ImportScope {
  version: 1
  done: Record<string, string[]>
}

/** Milliseconds between two writes of the file. An object that is copied twice stays the same. */
const saveEveryMs = 1000

/** Opens the state. Without `isResumed` it starts empty. Throws when the file belongs to another import. */
export async function openState(
  io: Io,
  scope: ImportScope,
  { file, isResumed, isReadOnly }: { file: string | undefined; isResumed: boolean; isReadOnly: boolean },
): Promise<ImportState> {
  const path = file === undefined ? defaultStateFile(io, scope, 'import') : resolve(io.cwd, file)
  const done = isResumed ? await readDone(path, scope) : new Map<string, Set<string>>()
  let savedAt = io.now()

  async function save(): Promise<void> {
    if (isReadOnly) return
    savedAt = io.now()
    const lists = Object.fromEntries([...done].map(([kind, ids]) => [kind, [...ids]]))
    const stored: StoredState = { version: 1, ...scope, done: lists }
    const draft = `${path}.${process.pid}`
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(draft, JSON.stringify(stored), { mode: 0o600 })
    await rename(draft, path)
  }

  await save()
  return {
    isDone: (kind, sourceId) => done.get(kind)?.has(sourceId) ?? false,
    async markDone(kind, sourceId) {
      const ids = done.get(kind) ?? new Set()
      done.set(kind, ids.add(sourceId))
      if (io.now() - savedAt >= saveEveryMs) await save()
    },
    save,
    async remove() {
      if (!isReadOnly) await rm(path, { force: true })
    },
  }
}

/** Returns the file of an import or mirror of this selection, in the state folder of the user. */
export function defaultStateFile({ env }: Io, scope: ImportScope, kind: 'import' | 'mirror'): string {
  const folder = env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state')
  const name = createHash('sha256')
    .update(JSON.stringify([scope.from, scope.to, scope.groups]))
    .digest('hex')
  return join(folder, 'alcove', `${kind}-${name.slice(0, 16)}.json`)
}

async function readDone(path: string, scope: ImportScope): Promise<Map<string, Set<string>>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return new Map()
  const stored = parse(text)
  if (!stored) throw wrongUsage(`${path} is not the state of an import. Start again without --resume.`)
  const isSame = stored.from === scope.from && stored.to === scope.to && `${stored.groups}` === `${scope.groups}`
  if (!isSame) throw wrongUsage(`${path} belongs to another import. Choose another file with --state.`)
  return new Map(Object.entries(stored.done).map(([kind, ids]) => [kind, new Set(ids)]))
}

function parse(text: string): StoredState | undefined {
  try {
    const stored = JSON.parse(text) as Partial<StoredState> | null // checked below
    const isComplete = stored?.version === 1 && Array.isArray(stored.groups) && typeof stored.done === 'object'
    if (!isComplete || !Object.values(stored.done ?? {}).every(Array.isArray)) return undefined
    return stored as StoredState // its fields were checked
  } catch {
    return undefined
  }
}
