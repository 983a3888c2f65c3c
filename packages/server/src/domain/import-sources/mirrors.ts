import { openCache, perDatabase } from '../../db/cache.ts'
import type { Database, Db } from '../../db/db.ts'
import { forbidden } from '../../platform/failure.ts'
import type { PermissionRow } from '../access/permissions.ts'
import { isPermittedInMirror } from '../access/permitted.ts'
import type { Deps } from '../deps.ts'
import type { ImportKind, Mirror } from './import-source.ts'
import { findMirror, hasMirrors, listMirrors } from './import-source-queries.ts'

/** Caches whether the server has mirrors, so that a server without any does not look for them. */
const presence = perDatabase((changes) => openCache<boolean>(changes, ['import_sources'], 1))

/** Object that may be a mirror. */
export interface MirrorPlace {
  kind: Exclude<ImportKind, 'user'>
  id: number
}

async function find(db: Db, { kind, id }: MirrorPlace): Promise<Mirror | undefined> {
  return (await mayHaveMirrors(db)) ? findMirror(db, kind, id) : undefined
}

/** Transactions have no caches. */
async function mayHaveMirrors(db: Db | Database): Promise<boolean> {
  return 'changes' in db ? presence(db).get('present', () => hasMirrors(db)) : true
}

/** Returns those of the objects that are mirrors, by their ids. */
export async function readMirrors(
  { db }: Pick<Deps, 'db'>,
  kind: MirrorPlace['kind'],
  ids: readonly number[],
): Promise<Map<number, Mirror>> {
  const mirrors = (await mayHaveMirrors(db)) ? await listMirrors(db, kind, ids) : []
  return new Map(mirrors.map((mirror) => [mirror.targetId, mirror]))
}

/**
 * Returns a function that returns whether the user may change a mirror with a permission. Permits everything in what is
 * not a mirror, and to the user whose token imports.
 */
export async function changesOfMirror(
  { db }: Pick<Deps, 'db'>,
  userId: number | undefined,
  place: MirrorPlace,
): Promise<(row: PermissionRow) => boolean> {
  const mirror = await find(db, place)
  if (!mirror || mirror.mirroredById === userId) return () => true
  return (row) => isPermittedInMirror(row, mirror.localChanges)
}

/** Throws when the object is a mirror that does not permit the change to the user. */
export async function assertMirrorPermits(
  { db }: Pick<Deps, 'db'>,
  row: PermissionRow,
  userId: number | undefined,
  place: MirrorPlace,
): Promise<void> {
  // Reads need no look at the mirror.
  if (isPermittedInMirror(row, 'none')) return
  const mirror = await find(db, place)
  if (!mirror || mirror.mirroredById === userId || isPermittedInMirror(row, mirror.localChanges)) return
  throw refusal(mirror)
}

/** Throws when one of the objects is a mirror of which the sender of the request may change no settings. */
export async function assertUnmirrored(
  { db, actor }: Pick<Deps, 'db' | 'actor'>,
  kind: MirrorPlace['kind'],
  ids: readonly number[],
): Promise<void> {
  for (const mirror of (await readMirrors({ db }, kind, ids)).values()) {
    if (mirror.localChanges !== 'all' && mirror.mirroredById !== actor?.user?.id) throw refusal(mirror)
  }
}

const refusal = ({ kind, source, localChanges }: Mirror) =>
  forbidden(
    `The ${kind} is a mirror of ${source} and permits ${localChanges === 'triage' ? 'only triage' : 'no changes'} here. Change it there, or detach the mirror.`,
  )
