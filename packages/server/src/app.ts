import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createServer } from './api/v4/server.ts'
import type { Database } from './db/db.ts'
import { openDatabase } from './db/open.ts'
import type { RootDeps } from './domain/deps.ts'
import { openLog } from './platform/log.ts'
import { openMetrics } from './platform/metrics.ts'
import { openDiskStore } from './platform/objects/disk.ts'
import type { ObjectStore } from './platform/objects/objects.ts'
import type { Settings } from './platform/settings.ts'
import { routes } from './routes.ts'

export interface App {
  deps: RootDeps
  server: FastifyInstance
  /** Lets running requests end, then lets go of database and store. */
  close(): Promise<void>
}

/** The database as the settings say; it may still need its migrations. */
export async function openDatabaseFor(settings: Settings): Promise<Database> {
  if (settings.databaseUrl) return openDatabase({ kind: 'postgres', url: settings.databaseUrl })
  await mkdir(settings.dataFolder, { recursive: true })
  return openDatabase({ kind: 'sqlite', file: join(settings.dataFolder, 'alcove.sqlite3') })
}

export async function openDeps(settings: Settings): Promise<RootDeps> {
  const db = await openDatabaseFor(settings)
  return depsFrom(settings, db, await openDiskStore(join(settings.dataFolder, 'objects')))
}

export function depsFrom(settings: Settings, db: Database, objects: ObjectStore): RootDeps {
  return {
    db,
    objects,
    settings,
    log: openLog(settings.logLevel),
    metrics: openMetrics(),
    now: () => new Date().toISOString(),
    random: randomBytes,
  }
}

export async function openApp(deps: RootDeps): Promise<App> {
  const server = await createServer(deps, routes)
  return {
    deps,
    server,
    async close() {
      await server.close()
      await deps.db.close()
      await deps.objects.close()
    },
  }
}
