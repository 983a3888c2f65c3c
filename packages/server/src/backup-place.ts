import { existsSync, realpathSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { type BackupStore, openBackupStore } from './domain/backup/backup-store.ts'
import { openDiskStore } from './platform/object-store/disk.ts'
import type { Settings } from './platform/settings.ts'

/** Opens the folder for backups. Creates it when it does not exist. */
export async function openBackupTarget(settings: Settings, target: string): Promise<BackupStore> {
  const folder = resolve(target)
  if (/\.sqlite3?$/.test(folder)) {
    throw new Error(`a backup is a folder with database and files, so name a folder instead of ${target}`)
  }
  if (isInside(realPath(folder), realPath(settings.dataFolder))) {
    throw new Error(`${target} is in the data folder, and would be lost with it; name another folder`)
  }
  await mkdir(folder, { recursive: true })
  return openBackupStore(await openDiskStore(folder), folder)
}

/** Opens an existing folder with backups. */
export async function openBackupFolder(source: string): Promise<BackupStore> {
  const folder = resolve(source)
  if (!existsSync(join(folder, 'objects'))) throw new Error(`there is no backup in ${source}`)
  return openBackupStore(await openDiskStore(folder), folder)
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || !(way === '..' || way.startsWith('../'))
}

/** Resolves symbolic links of the part of a path that exists. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  const parent = dirname(path)
  return parent === path ? path : join(realPath(parent), path.slice(parent.length))
}
