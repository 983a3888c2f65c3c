import type { CiRun } from '../ci/ci-run.ts'
import { readCiRun } from '../ci/environments.ts'
import { type ConnectionOptions, connect } from '../connection.ts'
import { type CommandFailed, type ExitCode, exitCodes, readFailure, wrongUsage } from '../exit.ts'
import type { FormatName } from '../formats/format-names.ts'
import { findViolations, parsePolicy, type Rule } from '../gate/policy.ts'
import type { Io } from '../io.ts'
import { writeNote } from '../note/note.ts'
import { plain } from '../safe-text.ts'
import { findFiles } from '../upload/files.ts'
import { listFindings, sampledFindings } from '../upload/listed-findings.ts'
import { openProgress } from '../upload/progress.ts'
import { findProjectFiles } from '../upload/project-files.ts'
import { comparisonOf, type UploadOptions, uploadReports } from '../upload/upload-reports.ts'
import { gateFailures, incompleteness, missingReports, type UploadResult } from '../upload/upload-result.ts'
import { pairOutputs, writeOutputs } from '../upload/write-outputs.ts'
import { projectOf } from './project-of.ts'

/** Options of `alcove upload`. */
export interface UploadCommandOptions extends ConnectionOptions {
  project?: string
  ref?: string
  targetRef?: string
  category?: string
  commit?: string
  reportType?: string
  mapping?: string
  failOn?: string
  format: FormatName[]
  output: string[]
  json?: boolean
  dryRun?: boolean
  allowUnreachable?: boolean
  note?: boolean
  projectFiles: boolean
  wait: number
}

/** Uploads reports, prints what they changed, and returns 1 when the gate fails. */
export async function runUpload(io: Io, patterns: readonly string[], options: UploadCommandOptions): Promise<ExitCode> {
  const policy = options.failOn === undefined ? undefined : parsePolicy(options.failOn)
  const outputs = pairOutputs(options.json ? ['json'] : options.format, options.output)
  const upload = await withProjectFiles(io, readUploadOptions(io, options), options)
  const files = await findFiles(io.cwd, patterns)
  if (options.dryRun && files.length > 1) {
    throw wrongUsage('A dry run takes one file: nothing is stored, so several reports cannot be compared together.')
  }
  try {
    const result = await sendAll(io, { files, options, upload, policy })
    await writeOutputs(io, outputs, result)
    const hint = incompleteness(result)
    if (hint) io.stderr.write(`alcove: warning: ${hint}\n`)
    if (options.note) await tryNote(io, result)
    return exitCodeOf(result)
  } catch (error) {
    const failure = readFailure(error)
    if (!options.allowUnreachable || failure.exitCode !== exitCodes.unreachable) throw failure
    io.stderr.write(`alcove: warning: ${failure.message}\nThe gate was not checked (--allow-unreachable).\n`)
    return exitCodes.passed
  }
}

/** Writes the note. A failure is a warning, because the reports are stored and the gate has been checked. */
async function tryNote(io: Io, result: UploadResult): Promise<void> {
  try {
    io.stderr.write(`alcove: ${await writeNote(io, result)}\n`)
  } catch (error) {
    io.stderr.write(`alcove: warning: ${plain(readFailure(error).message)}\n`)
  }
}

interface Work {
  files: readonly string[]
  options: UploadCommandOptions
  upload: UploadOptions & { ci: CiRun | undefined }
  policy: readonly Rule[] | undefined
}

async function sendAll(io: Io, { files, options, upload, policy }: Work): Promise<UploadResult> {
  const { client, url } = await connect(io, options)
  const progress = openProgress(io)
  const { sent: reports, rejected } = await uploadReports(io, client, { files, options: upload, progress }).finally(
    progress.clear,
  )
  const comparison = comparisonOf(reports)
  const ref = reports.at(-1)?.import.ref ?? upload.ref ?? ''
  if (!comparison) throw noImport(reports, rejected)
  const { project } = upload
  const lists = upload.isDryRun
    ? sampledFindings(comparison)
    : await listFindings(client, { project, ref, comparison }).finally(progress.clear)
  return {
    url,
    project,
    isProjectCreated: reports.some((report) => report.import.project_created),
    ref,
    commit: upload.commit,
    ci: upload.ci,
    isDryRun: upload.isDryRun,
    reports,
    rejected,
    comparison,
    lists,
    gate: policy && { policy, violations: findViolations(policy, comparison) },
  }
}

/** Returns the error for reports of which none could be compared. */
function noImport(reports: UploadResult['reports'], rejected: UploadResult['rejected']): CommandFailed {
  const problems = missingReports({ reports, rejected }).map(({ file, message }) => `${file}: ${message}`)
  if (problems.length > 0) return wrongUsage(`No report was imported.\n${problems.join('\n')}`)
  return wrongUsage('The server does not compare refs. Update it to the version of this command.')
}

function exitCodeOf(result: UploadResult): ExitCode {
  if (missingReports(result).length > 0) return exitCodes.usage
  return gateFailures(result).length > 0 ? exitCodes.policy : exitCodes.passed
}

/** Adds the files of the repository, and prints which. */
async function withProjectFiles(
  io: Io,
  upload: Work['upload'],
  options: Pick<UploadCommandOptions, 'projectFiles'>,
): Promise<Work['upload']> {
  const projectFiles = options.projectFiles ? await findProjectFiles(io.cwd, upload) : []
  if (projectFiles.length > 0) {
    io.stderr.write(
      `alcove: sending ${projectFiles.join(', ')} with the report; --no-project-files leaves out files of the repository\n`,
    )
  }
  return { ...upload, projectFiles }
}

/** Completes the options from the environment of the CI system. */
function readUploadOptions(io: Io, options: UploadCommandOptions): Work['upload'] {
  const ci = readCiRun(io.env)
  const ref = options.ref ?? ci?.ref
  if (ci && !ref) throw wrongUsage(`${ci.system} does not say which branch this job is for. Name it with --ref.`)
  return {
    ci,
    project: projectOf(io, options.project),
    ref,
    targetRef: options.targetRef ?? ci?.targetRef,
    category: options.category,
    commit: options.commit ?? ci?.commit,
    jobUrl: ci?.jobUrl,
    // The page of the job's commit is wrong for another commit.
    commitUrl: options.commit === undefined || options.commit === ci?.commit ? ci?.commitUrl : undefined,
    reportType: options.reportType,
    mapping: options.mapping,
    isDryRun: options.dryRun ?? false,
    projectFiles: [],
    waitSeconds: options.wait,
  }
}
