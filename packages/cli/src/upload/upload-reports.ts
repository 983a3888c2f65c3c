import { randomUUID } from 'node:crypto'
import { relative, resolve, sep } from 'node:path'
import { type BodyOf, type Client, RequestFailed, type Schemas } from '@alcove/client'
import { CommandFailed, exitCodes } from '../exit.ts'
import type { Comparison } from '../gate/comparison.ts'
import type { Io } from '../io.ts'
import type { Progress } from './progress.ts'
import { readProjectFiles } from './project-files.ts'
import { readReport } from './report-file.ts'

/** What is sent with every report. */
export interface UploadOptions {
  project: string
  ref?: string | undefined
  targetRef?: string | undefined
  /** Category of the reports. `{file}` stands for the path of each file. */
  category?: string | undefined
  commit?: string | undefined
  /** Pages of the CI job and of the commit. */
  jobUrl?: string | undefined
  commitUrl?: string | undefined
  reportType?: string | undefined
  /** Mapping of generic reports: JSON, or the name of a stored one. */
  mapping?: string | undefined
  /** Paths of the files of the repository that are sent with the first report. */
  projectFiles: readonly string[]
  isDryRun: boolean
  /** How long to wait for one import, in seconds. */
  waitSeconds: number
}

type ComparedImport = Schemas['ComparedImport']

/** A report that was sent. */
export interface SentReport {
  file: string
  import: ComparedImport
}

/** A report that the server did not accept. */
export interface RejectedReport {
  file: string
  message: string
}

/** Statuses that are about the report, so the next one may be accepted. */
const aboutReport = new Set([400, 413, 422])

const importOperation = 'POST /projects/{id}/security_reports'
const firstPollMs = 500
const maxPollMs = 5000

/** Sends reports one after the other and waits until each is imported. A rejected one does not stop the others. */
export async function uploadReports(
  io: Io,
  client: Client,
  { files, options, progress }: { files: readonly string[]; options: UploadOptions; progress: Progress },
): Promise<{ sent: SentReport[]; rejected: RejectedReport[] }> {
  const sent: SentReport[] = []
  const rejected: RejectedReport[] = []
  const sameRun = () => sent.flatMap((report) => report.import.id ?? [])
  for (const [index, file] of files.entries()) {
    progress.show(`Uploading ${file} (${index + 1} of ${files.length})`)
    try {
      const first = await sendReport(io, client, file, {
        ...options,
        sameRun: sameRun(),
        projectFiles: sent.length === 0 ? options.projectFiles : [],
      })
      const done = await waitForImport(io, client, first, { options, progress })
      const errors = done.errors.map((problem) => ({ ...problem, message: withFileNames(problem.message, sent) }))
      sent.push({ file, import: { ...done, errors } })
    } catch (error) {
      if (!(error instanceof RequestFailed) || !aboutReport.has(error.status)) throw error
      rejected.push({ file, message: withFileNames(error.message, sent) })
    }
  }
  progress.clear()
  return { sent, rejected }
}

/** Adds the names of files after the imports that a message mentions, and how to separate reports of one scanner. */
function withFileNames(message: string, sent: readonly SentReport[]): string {
  const mentioned = sent.find((report) => message.includes(`findings of import ${report.import.id},`))
  if (!mentioned) return message
  const name = `import ${mentioned.import.id}`
  return `${message.replace(name, `${name} (${mentioned.file})`)} For the paths of the files as categories use --category '{file}'.`
}

interface SentOptions extends UploadOptions {
  /** Ids of the imports of earlier files. The server rejects a report that would make their findings absent. */
  sameRun: readonly number[]
}

async function sendReport(io: Io, client: Client, file: string, options: SentOptions): Promise<ComparedImport> {
  const projectFiles = await readProjectFiles(io.cwd, options.projectFiles)
  const body = {
    file: await readReport(io.cwd, file),
    project_files: projectFiles.length > 0 ? projectFiles : undefined,
    create: !options.isDryRun,
    ref: options.ref,
    target_ref: options.targetRef,
    category: options.category?.replaceAll('{file}', () => pathInCategory(io.cwd, file)),
    commit_sha: options.commit,
    job_url: options.jobUrl,
    commit_url: options.commitUrl,
    report_type: options.reportType,
    mapping: options.mapping,
    dry_run: options.isDryRun || undefined,
    same_run: options.sameRun.length > 0 ? options.sameRun : undefined,
  }
  // The key makes the request safe to repeat, so it changes with each run of the command.
  const idempotency = options.isDryRun ? {} : { idempotencyKey: randomUUID() }
  const path = { id: options.project }
  const typed = body as BodyOf<typeof importOperation> // the server validates the report type of the user
  return client.call(importOperation, { path, body: typed }, idempotency)
}

/** Returns the path of a file from the working directory with slashes, so that it is the same in every run. */
function pathInCategory(cwd: string, file: string): string {
  return relative(cwd, resolve(cwd, file)).replaceAll(sep, '/')
}

/** Waits until an import is done or failed. */
async function waitForImport(
  io: Io,
  client: Client,
  first: ComparedImport,
  { options, progress }: { options: UploadOptions; progress: Progress },
): Promise<ComparedImport> {
  let current = first
  const deadline = io.now() + options.waitSeconds * 1000
  for (let delayMs = firstPollMs; isUnfinished(current); delayMs = Math.min(delayMs * 1.5, maxPollMs)) {
    if (io.now() > deadline) {
      const message = `The server did not finish the import within ${options.waitSeconds} seconds. It continues; see import ${current.id}.`
      throw new CommandFailed(exitCodes.unreachable, message)
    }
    progress.show(`Waiting for import ${current.id}${portionOf(current)}`)
    await io.sleep(delayMs)
    const path = { id: current.project_id, report_id: current.id ?? 0 }
    const query = { target_ref: options.targetRef }
    const next = await client.call('GET /projects/{id}/security_reports/{report_id}', { path, query })
    current = { ...next, project_created: first.project_created }
  }
  return current
}

function isUnfinished({ status }: ComparedImport): boolean {
  return status === 'waiting' || status === 'running'
}

function portionOf({ read_bytes: done, file_size: total }: ComparedImport): string {
  return total > 0 && done > 0 ? ` (${Math.min(100, Math.round((done / total) * 100))} %)` : ''
}

/** Returns the comparison after the last import: it describes the whole ref, with the findings of all reports. */
export function comparisonOf(sent: readonly SentReport[]): Comparison | undefined {
  return sent.findLast((report) => report.import.status === 'done')?.import.against ?? undefined
}
