import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createGuard } from './api/v4/guard.ts'
import type { Database } from './db/db.ts'
import type { DatabaseOptions } from './db/engine.ts'
import { openDatabase } from './db/open.ts'
import type { RootDeps } from './domain/deps.ts'
import { metadataStripper, temporaryFolder } from './domain/files/strip-metadata.ts'
import { closeRendering } from './domain/markdown/rendering.ts'
import { closeReading } from './domain/reports/reader/reading-thread.ts'
import { closeParsing } from './domain/topics/vocabulary/parsing.ts'
import type { Route } from './http/route.ts'
import { createServer, type Server } from './http/server.ts'
import { type Lifecycle, openLifecycle } from './platform/lifecycle.ts'
import { openLog } from './platform/log.ts'
import { openMetrics } from './platform/metrics.ts'
import { openDiskStore } from './platform/object-store/disk.ts'
import type { ObjectStore } from './platform/object-store/objects.ts'
import { resolveByDns } from './platform/outgoing/send.ts'
import { databaseFiles } from './platform/private-files.ts'
import { openRandom } from './platform/random.ts'
import { type Settings, WrongSettings } from './platform/settings/settings.ts'
import { routes } from './routes.ts'

export interface App {
  deps: RootDeps
  server: Server
  /** Stops the server gracefully, then closes the database and the store. */
  close(): Promise<void>
}

/** Returns which database the settings select. */
export function databaseOptions({ databaseUrl, dataFolder }: Settings): DatabaseOptions {
  if (databaseUrl) return { kind: 'postgres', url: databaseUrl }
  return { kind: 'sqlite', file: join(dataFolder, databaseFiles[0]) }
}

/** Opens the database that the settings select. Migrations may still be pending. */
export async function openDatabaseFor(settings: Settings, options: { acceptLoss?: boolean } = {}): Promise<Database> {
  const selected = databaseOptions(settings)
  if (selected.kind === 'postgres') return openDatabase(selected)
  await mkdir(settings.dataFolder, { recursive: true })
  return openDatabase({ ...selected, ...options })
}

export async function openDeps(settings: Settings, lifecycle?: Lifecycle): Promise<RootDeps> {
  const db = await openDatabaseFor(settings)
  return depsFrom(settings, db, await openObjectsFor(settings), lifecycle)
}

export type Place = 'disk' | 's3'

/** Opens the selected object store, or the one in the given place. */
export async function openObjectsFor(
  settings: Settings,
  place: Place = settings.s3 ? 's3' : 'disk',
): Promise<ObjectStore> {
  if (place === 'disk') return openDiskStore(join(settings.dataFolder, 'objects'))
  if (!settings.s3) throw new WrongSettings(['ALCOVE_S3_BUCKET is not set; allowed is the name of a bucket.'])
  // Load the SDK only when it is used.
  const { openS3Store } = await import('./platform/object-store/s3.ts')
  return openS3Store(settings.s3, { maxObjectBytes: Math.max(settings.maxUploadBytes, settings.maxReportBytes) })
}

export function depsFrom(
  settings: Settings,
  db: Database,
  objects: ObjectStore,
  { draining, stopping }: Lifecycle = openLifecycle(),
): RootDeps {
  return {
    db,
    objects,
    settings,
    log: openLog(settings.logLevel),
    metrics: openMetrics(),
    now: openClock(),
    random: openRandom(),
    resolve: resolveByDns,
    draining,
    stopping,
  }
}

/** Returns the current time. Formats it once per millisecond, because each request needs it several times. */
function openClock(): () => string {
  let at = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== at) {
      at = now
      text = new Date(now).toISOString()
    }
    return text
  }
}

export async function openApp(deps: RootDeps, served: readonly Route[] = routes): Promise<App> {
  const transformFile = metadataStripper(temporaryFolder(deps.settings))
  const server = await createServer({ deps, guard: createGuard(deps), transformFile }, served)
  return {
    deps,
    server,
    async close() {
      await server.close()
      await closeRendering()
      await closeParsing()
      await closeReading()
      await deps.db.close()
      await deps.objects.close()
    },
  }
}
