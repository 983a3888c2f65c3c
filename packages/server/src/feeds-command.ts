import { createWriteStream } from 'node:fs'
import { copyFile, mkdir, rename, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { databaseOptions, depsFrom, openObjectsFor } from './app.ts'
import { pendingMigrations } from './db/migrate.ts'
import { migrations } from './db/migrations/all.ts'
import { openDatabase } from './db/open.ts'
import { asCommand } from './db/set-aside.ts'
import { lockIfFree } from './db/sqlite/engine.ts'
import type { RootDeps } from './domain/deps.ts'
import { advisoryLimits } from './domain/feeds/advisory-file.ts'
import { openFeedFile } from './domain/feeds/feed-file.ts'
import { feedFolder, loadFeedFile } from './domain/feeds/feed-folder.ts'
import { countRows } from './domain/feeds/load-feed.ts'
import { readFolder } from './domain/feeds/osv-folder.ts'
import { advisoryLines } from './domain/feeds/read-osv.ts'
import { reasonOf } from './platform/failure.ts'
import type { Settings } from './platform/settings/settings.ts'

/** Replaces feeds by the data of files. */
export interface FeedsCommand {
  files: readonly string[]
  /** Accepts data that is older, or much smaller, than the loaded data. */
  isForced: boolean
}

/** Runs the command. Returns false if a file was not loaded. */
export async function runFeedsCommand(settings: Settings, command: FeedsCommand): Promise<boolean> {
  const options = asCommand(databaseOptions(settings))
  const lock = options.kind === 'sqlite' ? lockIfFree(options.file) : undefined
  lock?.close()
  if (options.kind === 'sqlite' && !lock) return forEachFile(command, (path) => passToServer(settings, path, command))
  const deps = depsFrom(settings, await openDatabase(options), await openObjectsFor(settings))
  try {
    const [pending] = await pendingMigrations(deps.db, migrations)
    if (pending) throw new Error('the schema is older than this program; run alcove migrate first')
    return await forEachFile(command, (path) => load(deps, path, command))
  } finally {
    await deps.db.close()
    await deps.objects.close()
  }
}

/** Prints the result for each file. Returns false if one failed; the others are loaded. */
async function forEachFile({ files }: FeedsCommand, work: (path: string) => Promise<string>): Promise<boolean> {
  let areLoaded = true
  for (const path of files) {
    try {
      console.log(`${path}: ${await work(path)}`)
    } catch (error) {
      areLoaded = false
      console.error(`${path}: ${reasonOf(error)}`)
    }
  }
  return areLoaded
}

async function load(deps: RootDeps, path: string, { isForced }: FeedsCommand): Promise<string> {
  const loaded = await loadFeedFile(deps, path, { isForced })
  if (loaded.outcome === 'busy') throw new Error('another process loads this feed; try again when it has finished')
  if (loaded.outcome === 'older') throw new Error('older than the loaded data; --force loads it')
  return `loaded ${loaded.rowCount} rows of ${loaded.kind}`
}

/** SQLite has one process that writes, so the server itself loads the file: from its folder, under the same rules. */
async function passToServer(settings: Settings, path: string, { isForced }: FeedsCommand): Promise<string> {
  if (isForced) throw new Error('stop the server first; with SQLite, --force needs the database for itself')
  const file = await openFeedFile(path)
  const rowCount = await countRows(file).finally(() => file.close())
  const folder = feedFolder({ settings })
  await mkdir(folder, { recursive: true })
  const isFolder = (await stat(path)).isDirectory()
  const name = isFolder ? `${basename(resolve(path))}.jsonl` : basename(path)
  const target = join(folder, name)
  const partial = join(folder, `.${name}`)
  await (isFolder ? writeAdvisories(path, partial) : copyFile(path, partial))
  await rename(partial, target)
  return `${rowCount} rows of ${file.kind} copied to ${target}; the running server loads them within a minute`
}

/** Writes the advisories of a folder into one file, as the server reads only files. */
function writeAdvisories(folder: string, target: string): Promise<void> {
  return pipeline(advisoryLines(readFolder(folder, advisoryLimits)), createWriteStream(target))
}
