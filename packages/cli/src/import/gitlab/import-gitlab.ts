import type { Client } from '@alcove/client'
import { assertToken, type ConnectionOptions, connect, parseServerUrl } from '../../connection.ts'
import { type ExitCode, exitCodes, wrongUsage } from '../../exit.ts'
import type { Io } from '../../io.ts'
import { openProgress } from '../../upload/progress.ts'
import { openReport } from '../import-report.ts'
import { type Copy, type MirrorTerms, openTargetIds } from './copy.ts'
import { copyAll } from './copy-all.ts'
import { readImportSources } from './import-sources.ts'
import { type ImportState, openState } from './import-state.ts'
import { openSource, type SourceApi } from './source-api.ts'

export interface GitlabImportOptions extends ConnectionOptions {
  from: string
  token?: string
  group?: string[]
  dryRun?: boolean
  resume?: boolean
  state?: string
  json?: boolean
}

/** Both servers of an import. */
export interface Servers {
  source: SourceApi
  target: Client
  /** Address of the target. */
  url: string
  importerId: number
}

/** Copies the selected groups, or everything that the token may read, and prints a report. */
export async function runGitlabImport(io: Io, options: GitlabImportOptions): Promise<ExitCode> {
  const { group: groups = [], dryRun: isDryRun = false } = options
  const servers = await connectServers(io, options)
  const scope = { from: servers.source.url, to: servers.url, groups: [...groups].sort() }
  const stored = { file: options.state, isResumed: options.resume ?? false, isReadOnly: isDryRun }
  const state = await openState(io, scope, stored)
  const copy = await openCopy(io, servers, { isDryRun, state })
  try {
    await copyAll(copy, groups)
  } finally {
    copy.progress.clear()
    await state.save()
  }
  await state.remove()
  const { report } = copy
  io.stdout.write(options.json ? `${report.json(isDryRun)}\n` : `${report.lines(isDryRun).join('\n')}\n`)
  return report.isComplete ? exitCodes.passed : exitCodes.policy
}

export async function connectServers(io: Io, options: GitlabImportOptions): Promise<Servers> {
  const { retry, timeout } = options
  const source = openSource(io, { url: parseServerUrl(options.from), token: sourceToken(io, options), retry, timeout })
  const { client: target, url } = await connect(io, options)
  if (url === source.url) throw wrongUsage('The source and the target are the same server.')
  const importer = await target.call('GET /user', {})
  if (importer.is_admin !== true) throw wrongUsage(`The token of ${url} must belong to an administrator.`)
  return { source, target, url, importerId: importer.id }
}

export async function openCopy(
  io: Io,
  { source, target, importerId }: Servers,
  {
    isDryRun,
    state,
    mirror,
    selectedIds = new Map(),
  }: { isDryRun: boolean; state: ImportState; mirror?: MirrorTerms; selectedIds?: Map<string, string> },
): Promise<Copy> {
  return {
    source,
    target,
    importerId,
    isDryRun,
    report: openReport(),
    state,
    progress: openProgress(io),
    sources: await readImportSources({ source, target }),
    mirror,
    selectedIds,
    ids: openTargetIds(),
    usernames: new Map(),
  }
}

function sourceToken({ env }: Io, { token = env['GITLAB_TOKEN']?.trim() }: GitlabImportOptions): string {
  if (!token) throw wrongUsage('The token of the source is missing. Set GITLAB_TOKEN, or use --token.')
  return assertToken(token)
}
