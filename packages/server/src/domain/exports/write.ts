import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { newObjectKey } from '../../platform/object-store/key.ts'
import { instanceUrl } from '../../platform/settings/settings.ts'
import { roles } from '../access/roles.ts'
import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { type AnyJobKind, jobKind, type RunningJob } from '../jobs/job.ts'
import { findNamespaceById } from '../namespaces/namespaces.ts'
import { currentVisitor, isStillPermitted } from '../projects/current-rights.ts'
import { findProjectById, listProjectIdsBelow } from '../projects/projects.ts'
import { groupLevel } from '../projects/visible.ts'
import { countWaitingFindings } from '../vulnerabilities/list/evidence.ts'
import { csvHeader, csvLine } from './csv.ts'
import type { Export } from './export.ts'
import { type FinishedFile, failExport, finishExport, startExport } from './export-queries.ts'
import { listAllProjectIds, listMemberProjectIds } from './exported-row-queries.ts'
import { type ExportedRow, listMatchingFacetCounts, readRows } from './exported-rows.ts'
import { readReport } from './report/report.ts'
import { writeReport } from './report/report-html.ts'
import { openSarifRun, type SarifRun, sarifHeadOf, sarifTail } from './sarif.ts'
import { sendScheduledReport } from './schedules/send-report.ts'
import { isVexFormat, openVexWriter, type VexExportFormat } from './vex/open-vex.ts'

export const exportKind = 'export'
export const exportKey = (id: number) => `export:${id}`

/** Returns the API's view of a vulnerability on a day, which JSON exports contain. */
export type DescribeRow = (row: ExportedRow, origin: string, today: string) => Promise<object>

const dayMs = 24 * 60 * 60 * 1000

/**
 * Job that writes an export: the object first, then the row that refers to it. After a crash the job runs again, and
 * the orphan cleanup deletes the former object.
 */
export function exportJob(describe: DescribeRow): AnyJobKind {
  return jobKind<{ export_id: number }>({
    kind: exportKind,
    concurrency: 2,
    perOwner: 1,
    maxAttempts: 3,
    async run(deps, { payload, signal, progress }) {
      const asked = await startExport(deps.db, payload.export_id, deps.now())
      if (!asked) return undefined
      const projectIds = await listExportedProjects(deps, asked)
      if (!projectIds) {
        const error = 'You may no longer export these vulnerabilities.'
        await failExport(deps.db, asked.id, { error, ...exportTimes(deps) })
        return undefined
      }
      const key = newObjectKey(deps)
      const total = await countExported(deps, projectIds, asked.filter)
      const waitingFindings = await countWaitingFindings(deps.db, projectIds)
      const title = await titleOf(deps, asked)
      let bytes = 0
      const hash = createHash('sha256')
      const reads = countReads(deps, total, { signal, progress })
      const counted = async function* () {
        for await (const text of contentOf(deps, { ...asked, waitingFindings, title }, projectIds, {
          ...reads,
          describe,
        })) {
          const chunk = Buffer.from(text)
          bytes += chunk.length
          hash.update(chunk)
          yield chunk
        }
      }
      await deps.objects.put(key, Readable.from(counted(), { objectMode: false }))
      await reads.finish()
      const filename = filenameOf(deps, title, asked.format)
      const finished = await finish(deps, asked, {
        ...{ filename, objectKey: key, bytes, sha256: hash.digest('hex'), waitingFindings },
        projectIds: isOfInstance(asked) && asked.asAdmin ? null : projectIds,
      })
      // Another process has finished the export, or it was deleted.
      if (!finished) await deps.objects.remove(key)
      return undefined
    },
    giveUp: (deps, { export_id }) => failExport(deps.db, export_id, { error: unexpected, ...exportTimes(deps) }),
  })
}

/** Marks an export as finished, and queues the message of a scheduled report. */
function finish(deps: RootDeps, asked: Export, file: FinishedFile): Promise<boolean> {
  if (asked.scheduleId === null) return finishExport(deps.db, asked.id, file, exportTimes(deps))
  return transaction(deps, async (deps) => {
    const isFinished = await finishExport(deps.db, asked.id, file, exportTimes(deps))
    if (isFinished) await sendScheduledReport(deps, asked)
    return isFinished
  })
}

const unexpected = 'The export failed; see the server’s log.'

/** Returns the times of an export that ends now. */
export function exportTimes({ now, settings }: Deps): { now: string; expiresAt: string } {
  const time = now()
  return { now: time, expiresAt: new Date(Date.parse(time) + settings.retentionDays.exports * dayMs).toISOString() }
}

type ReadRows = (projectId: number, filter: Export['filter']) => ReturnType<typeof readRows>

/** Returns functions that read and count rows, and record the progress of the job. */
function countReads(
  deps: Deps,
  total: number,
  { signal, progress }: Pick<RunningJob<object>, 'signal' | 'progress'>,
): Pick<Content, 'read' | 'onBatch'> & { finish(): Promise<void> } {
  let done = 0
  const onBatch = async (rows: number) => {
    signal.throwIfAborted()
    done += rows
    await progress(Math.min(done, total), total)
  }
  return {
    onBatch,
    async *read(projectId, filter) {
      for await (const rows of readRows(deps, projectId, filter)) {
        signal.throwIfAborted()
        yield rows
        await onBatch(rows.length)
      }
    },
    finish: () => progress(done, done),
  }
}

interface Content {
  read: ReadRows
  describe: DescribeRow
  /** Called with the number of rows that a report has counted. */
  onBatch(rows: number): Promise<void>
}

async function* contentOf(
  deps: RootDeps,
  asked: Export & { waitingFindings: number; title: string },
  projectIds: readonly number[],
  { read, describe, onBatch }: Content,
): AsyncGenerator<string> {
  const { format, filter, waitingFindings } = asked
  const today = deps.now().slice(0, 10)
  if (format === 'html') {
    yield writeReport(await readReport(deps, asked, projectIds, onBatch))
  } else if (format === 'csv') {
    yield csvHeader
    for (const id of projectIds) {
      for await (const rows of read(id, filter)) yield rows.map((row) => csvLine(row, today)).join('')
    }
  } else if (format === 'json') {
    const origin = instanceUrl(deps.settings)
    let before = '[\n'
    for (const id of projectIds) {
      for await (const rows of read(id, filter)) {
        const described = await Promise.all(rows.map((row) => describe(row, origin, today)))
        yield before + described.map((row) => JSON.stringify(row)).join(',\n')
        before = ',\n'
      }
    }
    yield before === ',\n' ? '\n]\n' : '[]\n'
  } else if (isVexFormat(format)) {
    yield* vexStatements(deps, { ...asked, format }, projectIds, read)
  } else {
    yield sarifHeadOf(waitingFindings)
    yield* sarifRuns(deps, filter, projectIds, read)
    yield sarifTail
  }
}

/** Writes a VEX document with a statement for each vulnerability that has an id and a component. */
async function* vexStatements(
  deps: Deps,
  { id, format, filter, title }: Pick<Export, 'id' | 'filter'> & { format: VexExportFormat; title: string },
  projectIds: readonly number[],
  read: ReadRows,
): AsyncGenerator<string> {
  const writer = openVexWriter(format, { instance: instanceUrl(deps.settings), id, now: deps.now(), title })
  let hasStatements = false
  for (const projectId of projectIds) {
    for await (const rows of read(projectId, filter)) {
      const statements = rows.flatMap((row) => writer.statement(row) ?? [])
      if (statements.length === 0) continue
      yield (hasStatements ? ',\n' : `${writer.head(true)}\n`) + statements.join(',\n')
      hasStatements = true
    }
  }
  if (!hasStatements) yield writer.head(false)
  yield writer.tail(hasStatements)
}

/** Writes one run for each scanner of each project. */
async function* sarifRuns(
  deps: Deps,
  filter: Export['filter'],
  projectIds: readonly number[],
  read: ReadRows,
): AsyncGenerator<string> {
  let before = ''
  for (const id of projectIds) {
    const scannerIds = new Set((await listMatchingFacetCounts(deps, id, filter)).map(({ scannerId }) => scannerId))
    for (const scannerId of [...scannerIds].sort((a, b) => a - b)) {
      let run: SarifRun | undefined
      for await (const rows of read(id, { ...filter, scannerIds: [scannerId] })) {
        if (!run) {
          run = openSarifRun(rows[0])
          yield before + run.head
        }
        yield rows.map(run.result).join('')
      }
      if (!run) continue
      yield run.end()
      before = ','
    }
  }
}

/** Returns the number of rows by the facet counts: an upper bound, because they do not cover all filters. */
async function countExported(deps: Deps, projectIds: readonly number[], filter: Export['filter']): Promise<number> {
  let count = 0
  for (const id of projectIds) {
    for (const { total } of await listMatchingFacetCounts(deps, id, filter)) count += total
  }
  return count
}

/**
 * Returns the requested projects that the author may export now; `undefined` when the author lost access to the target.
 */
async function listExportedProjects(deps: Deps, asked: Export): Promise<number[] | undefined> {
  const ids = await targetProjects(deps, asked)
  const { projectIds } = asked.filter
  return projectIds && ids ? ids.filter((id) => projectIds.includes(id)) : ids
}

async function targetProjects(deps: Deps, asked: Export): Promise<number[] | undefined> {
  const { db } = deps
  const requester = { userId: asked.authorId, asAdmin: asked.asAdmin }
  if (asked.projectId !== null) {
    const project = await findProjectById(db, asked.projectId)
    return project && (await isStillPermitted(deps, 'export.create', project, requester)) ? [project.id] : undefined
  }
  const author = await currentVisitor(deps, requester)
  if (!author) return undefined
  if (asked.groupId !== null) {
    const group = await findNamespaceById(db, asked.groupId)
    const isAllowed = group && (await groupLevel(deps, group, author)) >= roles.developer
    return isAllowed ? listProjectIdsBelow(db, [group]) : undefined
  }
  if (author.isAdmin) return listAllProjectIds(db)
  return listMemberProjectIds(db, { userId: author.user.id, level: roles.developer, today: deps.now().slice(0, 10) })
}

const isOfInstance = ({ projectId, groupId }: Export): boolean => projectId === null && groupId === null

/** Returns the full path of the exported project or group. */
async function titleOf({ db }: Deps, { projectId, groupId }: Export): Promise<string> {
  const target =
    projectId !== null
      ? await findProjectById(db, projectId)
      : groupId !== null
        ? await findNamespaceById(db, groupId)
        : undefined
  return target?.fullPath ?? 'instance'
}

/** Returns the filename, such as `acme-site_vulnerabilities_2026-05-01T1030.csv`. */
function filenameOf({ now }: Deps, title: string, format: Export['format']): string {
  const time = now().slice(0, 16).replace(':', '')
  const ending = isVexFormat(format) ? `${format}.json` : format
  return `${parameterized(title)}_${format === 'html' ? 'report' : 'vulnerabilities'}_${time}.${ending}`
}

/** Equivalent of Rails' `parameterize`. */
function parameterized(path: string): string {
  return path
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^-|-$/g, '')
}
