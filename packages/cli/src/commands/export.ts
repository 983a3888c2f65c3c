import type { BodyOf, Client, Schemas } from '@alcove/client'
import { type ConnectionOptions, connect } from '../connection.ts'
import { counted } from '../counted.ts'
import { CommandFailed, exitCodes, wrongUsage } from '../exit.ts'
import type { Io } from '../io.ts'
import { writeOutputFile } from '../output-file.ts'
import { plain, safeJson } from '../safe-text.ts'
import { openProgress } from '../upload/progress.ts'
import { waitingInWords } from '../waiting.ts'
import { projectOf } from './project-of.ts'

export interface ExportOptions extends ConnectionOptions {
  project?: string
  group?: string
  format: 'csv' | 'json' | 'sarif' | 'openvex' | 'cyclonedx' | 'csaf' | 'html'
  /** Only vulnerabilities that are present on this ref. */
  ref?: string
  output?: string
  wait: number
  json?: boolean
}

const pollMs = 500

/** Exports the vulnerabilities of a project or group to a file or the standard output. */
export async function runExport(io: Io, options: ExportOptions): Promise<void> {
  const { group, project, format, output } = options
  if (group !== undefined && project !== undefined) throw wrongUsage('Use either --project or --group.')
  if (options.json && output === undefined)
    throw wrongUsage('--json prints what was exported; name the file with --output.')
  const { client } = await connect(io, options)
  const body: BodyOf<'POST /security/projects/{id}/vulnerability_exports'> = {
    export_format: format,
    ...(options.ref !== undefined && { filters: { ref: options.ref } }),
  }
  const created =
    group === undefined
      ? await client.call('POST /security/projects/{id}/vulnerability_exports', {
          path: { id: projectOf(io, project) },
          body,
        })
      : await client.call('POST /security/groups/{id}/vulnerability_exports', { path: { id: group }, body })
  const done = await waitForExport(io, client, created, options.wait)
  const file = await client.file('GET /security/vulnerability_exports/{id}/download', { path: { id: done.id } })
  const bytes = new Uint8Array(await file.arrayBuffer())
  const waiting = done.waiting_findings ?? 0
  if (waiting > 0) io.stderr.write(`Not in the file: ${waitingInWords(waiting)}.\n`)
  if (output === undefined) return io.stdout.write(bytes)
  await writeOutputFile(io, output, bytes)
  const rows = done.progress?.total
  const result = { file: output, format, bytes: bytes.length, rows: rows ?? null, waiting_findings: waiting }
  if (options.json) io.stdout.write(`${safeJson(result)}\n`)
  else io.stdout.write(`${plain(output)}: ${counted(bytes.length, 'byte')}\n`)
}

async function waitForExport(
  io: Io,
  client: Client,
  created: Schemas['VulnerabilityExport'],
  waitSeconds: number,
): Promise<Schemas['VulnerabilityExport']> {
  const progress = openProgress(io)
  const deadline = io.now() + waitSeconds * 1000
  let current = created
  while (current.status === 'created' || current.status === 'running') {
    if (io.now() > deadline) {
      throw new CommandFailed(
        exitCodes.unreachable,
        `The server did not finish the export within ${waitSeconds} seconds.`,
      )
    }
    const { done = 0, total = 0 } = current.progress ?? {}
    progress.show(`Exporting${total > 0 ? ` (${done} of ${total})` : ''}`)
    await io.sleep(pollMs)
    current = await client.call('GET /security/vulnerability_exports/{id}', { path: { id: created.id } })
  }
  progress.clear()
  if (current.status === 'failed')
    throw new CommandFailed(
      exitCodes.unreachable,
      `The server could not write the export.${current.error ? ` ${current.error}` : ''}`,
    )
  return current
}
