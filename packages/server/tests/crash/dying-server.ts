import { openApp, openDeps } from '../../src/app.ts'
import type { Database, Db } from '../../src/db/db.ts'
import type { RootDeps } from '../../src/domain/deps.ts'
import { deleteMarkedObjects } from '../../src/domain/files/pending-deletions.ts'
import { expireUploads } from '../../src/domain/uploads/expire.ts'
import { readSettings } from '../../src/platform/settings/settings.ts'
import { faultyStore, type Moment } from '../../src/testing/stand-ins/faulty-store.ts'

/*
 * Runs the server on an existing data folder and kills itself at the first moment of the kind that its arguments name,
 * such as `put middle` or `commit before`. The recorded use of a token does not count. With `expire` as the third
 * argument, the periodic tasks run at once.
 */
const [operation, position, job] = process.argv.slice(2)
const moment = `${operation} ${position}`

const deps = await openDeps(readSettings())
const objects = faultyStore(deps.objects)
if (operation !== 'commit') objects.at(moment as Moment, die)
const dying: RootDeps = { ...deps, objects, db: dyingAtCommit(deps.db) }
const app = await openApp(dying)
await app.server.listen({ host: '127.0.0.1', port: 0 })
console.log(`Alcove serves ${app.server.listeningOrigin}`)
if (job === 'expire') {
  await expireUploads(dying)
  await deleteMarkedObjects(dying)
}

function dyingAtCommit(db: Database): Database {
  return {
    ...db,
    async transaction(work) {
      let isNote = false
      const result = await db.transaction(async (db) => {
        const watched: Db = {
          ...db,
          run(query) {
            isNote ||= query.text.includes('into token_uses')
            return db.run(query)
          },
        }
        const result = await work(watched)
        if (moment === 'commit before' && !isNote) await die()
        return result
      })
      if (moment === 'commit after' && !isNote) await die()
      return result
    },
  }
}

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}
