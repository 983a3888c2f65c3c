import { Failure, notFound, reportRejected } from '../../../platform/failure.ts'
import type { ReceivedFile } from '../../../platform/object-store/objects.ts'
import { readPieces } from '../../../platform/object-store/pieces.ts'
import type { Caller } from '../../access/callers.ts'
import { type RootDeps, transaction } from '../../deps.ts'
import { assertMayCreateAt, createProjectAt } from '../../namespaces/create-at-path.ts'
import { resolveVisibleProject } from '../../projects/resolve-visible.ts'
import { inheritTopics } from '../../topics/group-topics/inherited-topics.ts'
import { openReading } from '../reader/import-reading.ts'
import { Unreadable } from '../reader/unreadable.ts'
import type { IngestOptions } from './import.ts'
import { assertLinks } from './import-origin.ts'
import { assertRoomInQueue } from './import-queue.ts'
import { assertMayPromote, assertMayReport } from './import-rights.ts'
import { assertShort } from './ingest.ts'

/** Throws unless the caller may create the project of a report. Sending reports alone does not permit it. */
export async function assertMayCreateProject(deps: RootDeps, caller: Caller, path: string): Promise<void> {
  await assertMayCreateAt(deps, caller, path)
  if (!caller.token.scopes.includes('api')) throw new Failure({ kind: 'scope-too-small', accepted: ['api'] })
}

interface FirstReport {
  file: ReceivedFile
  options: IngestOptions
  isDryRun: boolean
  /** Throws when the other files of the request cannot be used. */
  assertUsable(): Promise<unknown>
}

/**
 * Creates the project of a report, which promotes findings unless a group decides otherwise. Nothing is created when the
 * report or its options are refused, or too many reports wait. Returns false when another request has created the project.
 */
export async function createProjectOfReport(
  deps: RootDeps,
  caller: Caller,
  path: string,
  { file, options, isDryRun, assertUsable }: FirstReport,
): Promise<boolean> {
  if (isDryRun) throw notFound('Project')
  assertShort(options)
  assertLinks(options)
  await assertUsable()
  await assertReadable(deps, file, options)
  for (let attempt = 1; ; attempt++) {
    try {
      await transaction(deps, async (deps) => {
        const project = await createProjectAt(deps, caller, path, { promotesByDefault: true })
        await inheritTopics(deps, [project.id])
        await assertMayReport(deps, project, caller, options.ref)
        await assertMayPromote(deps, project, caller, options)
        await assertRoomInQueue(deps, { projectId: project.id, userId: caller.user.id, fileBytes: file.bytes })
      })
      return true
    } catch (error) {
      // Another request may have created the project, or only one of its groups.
      const isTaken = error instanceof Failure && ['invalid', 'refused'].includes(error.cause.kind)
      if (!isTaken) throw error
      if (await resolveVisibleProject(deps, caller, path)) return false
      if (attempt === maxAttempts) throw error
    }
  }
}

const maxAttempts = 3

/** Reads the whole report, and throws `reportRejected` if an import would. */
async function assertReadable(
  { objects }: RootDeps,
  { key, bytes }: ReceivedFile,
  { reportType, strict, isPartial, mapping }: IngestOptions,
): Promise<void> {
  const open = () => readPieces(objects, key)
  const read = await openReading(open, bytes, { reportType, strict, isPartial, mapping, projectId: 0 })
  if ('problems' in read) throw reportRejected(read.problems)
  try {
    for await (const _ of read.reading.batches());
  } catch (error) {
    throw error instanceof Unreadable ? reportRejected([error.problem]) : error
  } finally {
    read.reading.close()
  }
}
