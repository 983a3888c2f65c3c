import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { dropAvatarsOfOwners } from '../avatars/avatars.ts'
import { type Deps, transaction } from '../deps.ts'
import { dropExports } from '../exports/exports.ts'
import { deleteMarkedObjects, markForDeletion } from '../files/pending-deletions.ts'
import { failLostImport } from '../reports/imports/run-imports.ts'
import { listWronglyCounted, recount } from '../topics/assignment.ts'
import { dropAvatars } from '../topics/avatars.ts'
import { dropMergedAvatars } from '../topics/merges/merges.ts'
import { dropUploads } from '../uploads/uploads.ts'
import { correctUsage, listWrongUsage } from '../uploads/usage.ts'
import { recountProjects, type WrongFigure } from './recount.ts'
import { listPendingAmong, listReferencedKeys, listStoredFiles, type StoredFile } from './removal-queries.ts'

/** Inconsistency between the database and the object store, or between a stored figure and the rows that it counts. */
interface Disagreement {
  kind: 'missing object' | 'wrong size' | 'wrong content' | 'object without a row' | WrongFigure
  what: string
}

export interface Checkup {
  findings: Disagreement[]
  /** Number of problems that were not fixed; all of them without `fix`. */
  left: number
  files: number
  objects: number
}

const batchSize = 1000
/** Minimum age of an orphaned object, because an upload in progress has no row yet. */
const graceMs = 24 * 60 * 60 * 1000

export interface Examination {
  fix: boolean
  /** Whether to read every file whose SHA-256 is known. */
  contents?: boolean
}

/**
 * Compares every row with its object and every object with its row. With `fix`, repairs what it finds: deletes rows
 * without an object, because their content is lost. Keeps rows whose object has the wrong content, because most of it
 * may be intact and a backup may have the rest. Can run while the server runs.
 */
export async function examine(deps: Deps, options: Examination): Promise<Checkup> {
  const sizes = new Map<string, { bytes: number; modifiedAt: Date }>()
  for await (const { key, bytes, modifiedAt } of deps.objects.list('files/')) sizes.set(key, { bytes, modifiedAt })

  const findings: Disagreement[] = []
  const broken: StoredFile[] = []
  let files = 0
  for (let after: StoredFile | undefined; ; ) {
    const rows = await listStoredFiles(deps.db, after, batchSize)
    for (const row of rows) {
      const stored = sizes.get(row.key)
      if (stored?.bytes === row.bytes) {
        if (options.contents && (await isChanged(deps, row)))
          findings.push({ kind: 'wrong content', what: `${row.what} (${row.key})` })
        continue
      }
      // The file may have been deleted or uploaded while the store was being listed.
      const [still] = await listReferencedKeys(deps.db, [row.key])
      const object = await deps.objects.open(row.key, row.bytes > 0 ? { start: 0, end: 0 } : undefined)
      object?.on('error', () => {}).destroy()
      if (!still || (object && !stored)) continue
      findings.push({ kind: stored ? 'wrong size' : 'missing object', what: `${row.what} (${row.key})` })
      broken.push(row)
    }
    files += rows.length
    after = rows.at(-1)
    if (rows.length < batchSize) break
  }

  const orphans = await orphansAmong(deps, sizes)
  for (const key of orphans) findings.push({ kind: 'object without a row', what: key })
  const usage = await listWrongUsage(deps.db)
  for (const what of usage) findings.push({ kind: 'wrong upload usage', what: `${what.owner} ${what.id}` })
  const topics = await listWronglyCounted(deps.db)
  for (const id of topics) findings.push({ kind: 'wrong topic counts', what: `topic ${id}` })
  for (const finding of await recountProjects(deps, options.fix)) findings.push(finding)

  if (options.fix && findings.length > 0) {
    await transaction(deps, async (deps) => {
      const idsOf = (wanted: StoredFile['kind']) => broken.flatMap(({ kind, id }) => (kind === wanted ? [id] : []))
      await dropUploads(deps, idsOf('upload'))
      await dropAvatars(deps, idsOf('avatar'))
      await dropAvatarsOfOwners(deps, idsOf('avatar of owner'))
      await dropMergedAvatars(deps, idsOf('merged avatar'))
      await dropExports(deps, idsOf('export'))
      for (const id of idsOf('report')) await failLostImport(deps, id)
      await markForDeletion(deps, [...orphans, ...broken.map(({ key }) => key)])
      await correctUsage(deps)
      await recount(deps, topics)
    })
    await deleteMarkedObjects(deps)
  }
  const left = options.fix ? findings.filter(({ kind }) => kind === 'wrong content') : findings
  return { findings, left: left.length, files, objects: sizes.size }
}

/**
 * Returns true when the content does not match its digest. Returns false for a file that was deleted in the meantime.
 */
async function isChanged(deps: Deps, { key, sha256 }: StoredFile): Promise<boolean> {
  const object = sha256 === null ? undefined : await deps.objects.open(key)
  if (!object) return false
  const hash = createHash('sha256')
  await pipeline(object, hash)
  return hash.digest('hex') !== sha256
}

async function orphansAmong(deps: Deps, sizes: ReadonlyMap<string, { modifiedAt: Date }>): Promise<string[]> {
  const before = Date.parse(deps.now()) - graceMs
  const keys = [...sizes].flatMap(([key, { modifiedAt }]) => (modifiedAt.getTime() < before ? [key] : []))
  const orphans: string[] = []
  for (let start = 0; start < keys.length; start += batchSize) {
    const batch = keys.slice(start, start + batchSize)
    const known = new Set([
      ...(await listReferencedKeys(deps.db, batch)),
      // Pending deletions are handled by the periodic task.
      ...(await listPendingAmong(deps.db, batch)),
    ])
    orphans.push(...batch.filter((key) => !known.has(key)))
  }
  return orphans
}
