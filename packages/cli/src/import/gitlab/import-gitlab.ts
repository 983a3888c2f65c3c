import { assertToken, type ConnectionOptions, connect, parseServerUrl } from '../../connection.ts'
import { type ExitCode, exitCodes, wrongUsage } from '../../exit.ts'
import type { Io } from '../../io.ts'
import { openProgress } from '../../upload/progress.ts'
import { openReport } from '../import-report.ts'
import { type Copy, openTargetIds } from './copy.ts'
import { copyGroup, listGroups } from './copy-groups.ts'
import { copyMembers } from './copy-members.ts'
import { archiveProject, copyProject, listProjects, topicsOf } from './copy-projects.ts'
import { copyTopics } from './copy-topics.ts'
import { copyUploads } from './copy-uploads.ts'
import { copyUsers } from './copy-users.ts'
import { copyVulnerabilities } from './copy-vulnerabilities.ts'
import { openState } from './import-state.ts'
import { openSource } from './source-api.ts'
import { type SourceRow, textOf } from './source-row.ts'
import { findLinksOfProject } from './upload-links.ts'

export interface GitlabImportOptions extends ConnectionOptions {
  from: string
  token?: string
  group?: string[]
  dryRun?: boolean
  resume?: boolean
  state?: string
  json?: boolean
}

/** Copies the selected groups, or everything that the token may read, and prints a report. */
export async function runGitlabImport(io: Io, options: GitlabImportOptions): Promise<ExitCode> {
  const { group: groups = [], dryRun: isDryRun = false, retry, timeout } = options
  const source = openSource(io, { url: parseServerUrl(options.from), token: sourceToken(io, options), retry, timeout })
  const { client: target, url } = await connect(io, options)
  if (url === source.url) throw wrongUsage('The source and the target are the same server.')
  const importer = await target.call('GET /user', {})
  if (importer.is_admin !== true) throw wrongUsage(`The token of ${url} must belong to an administrator.`)
  const scope = { from: source.url, to: url, groups: [...groups].sort() }
  const stored = { file: options.state, isResumed: options.resume ?? false, isReadOnly: isDryRun }
  const state = await openState(io, scope, stored)
  const report = openReport()
  const progress = openProgress(io)
  const shared = {
    source,
    target,
    importerId: importer.id,
    isDryRun,
    report,
    state,
    progress,
    ids: openTargetIds(),
    usernames: new Map(),
  }
  try {
    await copyAll(shared, groups)
  } finally {
    progress.clear()
    await state.save()
  }
  await state.remove()
  io.stdout.write(options.json ? `${report.json(isDryRun)}\n` : `${report.lines(isDryRun).join('\n')}\n`)
  return report.isComplete ? exitCodes.passed : exitCodes.policy
}

function sourceToken({ env }: Io, { token = env['GITLAB_TOKEN']?.trim() }: GitlabImportOptions): string {
  if (!token) throw wrongUsage('The token of the source is missing. Set GITLAB_TOKEN, or use --token.')
  return assertToken(token)
}

async function copyAll(copy: Copy, paths: readonly string[]): Promise<void> {
  const isWhole = paths.length === 0
  if (isWhole) await copyUsers(copy)
  const groups = await listGroups(copy, paths)
  for (const group of groups) await copyGroup(copy, group)
  const projects = await listProjects(copy, isWhole ? undefined : selectedGroups(groups, paths))
  await copyTopics(copy, isWhole ? undefined : topicsOf(projects))
  for (const project of projects) await copyProject(copy, project)
  for (const row of groups) {
    const place = { kind: 'group', sourceId: String(row['id']), name: textOf(row, 'full_path') ?? '' } as const
    await copyMembers(copy, place)
    // Links to files of a group are in texts that GitLab has no list of, such as epics.
    await copyUploads(copy, place, async () => new Map())
  }
  for (const row of projects) await copyContents(copy, row)
}

/** Copies what belongs to a project. A resumed import skips projects that are complete. */
async function copyContents(copy: Copy, row: SourceRow): Promise<void> {
  const sourceId = String(row['id'])
  if (copy.state.isDone('project', sourceId)) return
  const name = textOf(row, 'path_with_namespace') ?? ''
  const place = { kind: 'project', sourceId, name } as const
  const { skipped } = copy.report
  await copyMembers(copy, place)
  await copyUploads(
    copy,
    place,
    once(() => findLinksOfProject(copy, row)),
  )
  await copyVulnerabilities(copy, row)
  await archiveProject(copy, row)
  // A resumed import tries again what has failed.
  if (copy.report.skipped === skipped) await copy.state.markDone('project', sourceId)
}

/** Returns a function that calls another one at most once. */
function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => {
    result ??= work()
    return result
  }
}

/** Returns the groups below the selected paths. Others are only copied because they contain them. */
function selectedGroups(groups: readonly SourceRow[], paths: readonly string[]): SourceRow[] {
  return groups.filter((row) => {
    const fullPath = (textOf(row, 'full_path') ?? '').toLowerCase()
    return paths.some((path) => `${fullPath}/`.startsWith(`${path.toLowerCase()}/`))
  })
}
