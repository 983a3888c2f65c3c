import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { Deps, RootDeps } from '../deps.ts'
import { type FeedFile, type FeedKind, WrongFeed } from './feed.ts'
import { type FeedFileReader, openFeedFile } from './feed-file.ts'
import { deleteOldFiles, findFileByDigest, isRead, upsertFile } from './feed-queries.ts'
import { digestFile } from './file-lines.ts'
import { type LoadOutcome, loadFeed } from './load-feed.ts'

const maxRecordedFiles = 500

/** Folder whose files are loaded when they change. */
export const feedFolder = ({ settings }: Pick<Deps, 'settings'>) => join(settings.dataFolder, 'feeds')

/**
 * Loads the files of the folder that were not read yet, newest first, so that older ones of the same feed are skipped.
 * Processes with folders of their own load a file once.
 */
export async function loadFeedFolder(deps: RootDeps): Promise<void> {
  for (const file of await listNewFiles(deps)) {
    if (deps.stopping.aborted) return
    await loadNewFile(deps, file)
  }
  await deleteOldFiles(deps.db, maxRecordedFiles)
}

interface NewFile extends Pick<FeedFile, 'name' | 'bytes' | 'modifiedAt'> {
  path: string
}

async function listNewFiles(deps: RootDeps): Promise<NewFile[]> {
  const folder = feedFolder(deps)
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const files: NewFile[] = []
  for (const entry of entries) {
    // Programs that copy files write them under such a name first.
    if (entry.name.startsWith('.') || entry.isDirectory()) continue
    const file = await describeFile(join(folder, entry.name))
    if (file && !(await isRead(deps.db, file))) files.push(file)
  }
  return files.sort((a, b) => b.modifiedAt.localeCompare(a.modifiedAt))
}

async function describeFile(path: string): Promise<NewFile | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) return undefined
  return { path, name: basename(path), bytes: found.size, modifiedAt: found.mtime.toISOString() }
}

async function loadNewFile(deps: RootDeps, { path, ...file }: NewFile): Promise<void> {
  const digest = await digestFile(path)
  const copy = await findFileByDigest(deps.db, digest)
  if (copy) return upsertFile(deps.db, { ...copy, ...file })
  const { kind, outcome, error } = await readFile(deps, path)
  // The next run finds what the other process has made of it, or the next start reads it again.
  if (outcome === 'busy') return
  await upsertFile(deps.db, { ...file, digest, kind, outcome, error, readAt: deps.now() })
  const log = { file: file.name, feed: kind, outcome, error }
  if (outcome === 'rejected') deps.log.warn(log, 'feed file rejected')
  else deps.log.info(log, 'feed file read')
}

interface ReadFile {
  kind: FeedKind | null
  outcome: LoadOutcome['outcome'] | 'rejected'
  error: string | null
}

async function readFile(deps: RootDeps, path: string): Promise<ReadFile> {
  let file: FeedFileReader | undefined
  try {
    file = await openFeedFile(path)
    const { outcome } = await loadFeed(deps, file, { fileName: basename(path), isForced: false })
    return { kind: file.kind, outcome, error: null }
  } catch (error) {
    if (!(error instanceof WrongFeed)) throw error
    return { kind: file?.kind ?? null, outcome: 'rejected', error: error.message }
  } finally {
    await file?.close()
  }
}

/** Loads a file, or a folder of advisories, as a command. Throws `WrongFeed` if it is wrong. */
export async function loadFeedFile(
  deps: RootDeps,
  path: string,
  { isForced }: { isForced: boolean },
): Promise<LoadOutcome & { kind: FeedKind }> {
  const file = await openFeedFile(path)
  try {
    const outcome = await loadFeed(deps, file, { fileName: basename(resolve(path)), isForced })
    return { kind: file.kind, ...outcome }
  } finally {
    await file.close()
  }
}
