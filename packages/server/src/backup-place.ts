import { existsSync, realpathSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { type BackupStore, openBackupStore } from './domain/backup/backup-store.ts'
import { openDiskStore } from './platform/object-store/disk.ts'
import { isKey } from './platform/object-store/key.ts'
import { prefixedStore } from './platform/object-store/prefixed.ts'
import { isBucketName, type Settings } from './platform/settings/settings.ts'

/** Opens the folder or the bucket for backups. Creates the folder when it does not exist. */
export async function openBackupTarget(settings: Settings, target: string): Promise<BackupStore> {
  if (isAddress(target)) return openBucket(settings, target)
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

/** Opens an existing folder or bucket with backups. */
export async function openBackupSource(settings: Settings, source: string): Promise<BackupStore> {
  if (isAddress(source)) return openBucket(settings, source)
  const folder = resolve(source)
  if (!existsSync(join(folder, 'objects'))) throw new Error(`there is no backup in ${source}`)
  return openBackupStore(await openDiskStore(folder), folder)
}

const isAddress = (target: string) => target.startsWith('s3://')

async function openBucket(settings: Settings, address: string): Promise<BackupStore> {
  const [bucket = '', ...parts] = address.slice('s3://'.length).split('/')
  const prefix = parts.filter(Boolean).join('/')
  if (!isBucketName(bucket) || (prefix !== '' && (!isKey(prefix) || prefix.length > 100))) {
    throw new Error(
      `${address} is not valid; allowed is s3://bucket/prefix in lower-case letters, digits, dots and hyphens`,
    )
  }
  if (bucket === settings.s3?.bucket) {
    throw new Error(`the bucket ${bucket} has the files, and a backup would be lost with it; name another bucket`)
  }
  const service = settings.backupS3 ?? settings.s3 ?? { region: 'us-east-1' }
  // Load the SDK only when it is used.
  const { openS3Store } = await import('./platform/object-store/s3.ts')
  const maxObjectBytes = Math.max(settings.maxUploadBytes, settings.maxReportBytes)
  const store = openS3Store({ ...service, bucket, redirect: false }, { maxObjectBytes })
  return openBackupStore(prefixedStore(store, prefix === '' ? '' : `${prefix}/`), address)
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
