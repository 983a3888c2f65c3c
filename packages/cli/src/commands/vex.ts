import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Schemas } from '@alcove/client'
import { type ConnectionOptions, connect } from '../connection.ts'
import { counted } from '../counted.ts'
import { wrongUsage } from '../exit.ts'
import type { Io } from '../io.ts'
import { plain, safeJson } from '../safe-text.ts'
import { type ExportOptions, runExport } from './export.ts'
import { projectOf } from './project-of.ts'

export interface VexImportOptions extends ConnectionOptions {
  project?: string
  group?: string
  preview?: boolean
  ref?: string
  override?: boolean
  json?: boolean
}

export type VexExportOptions = ExportOptions

/** Imports a VEX document, or prints what its statements would do. */
export async function runVexImport(io: Io, file: string, options: VexImportOptions): Promise<void> {
  const { preview: dry_run = false, ref, override = false, group, project } = options
  if (group !== undefined && project !== undefined) throw wrongUsage('Use either --project or --group.')
  const path = { id: group ?? projectOf(io, project) }
  const bytes = await readFile(resolve(io.cwd, file)).catch((error: Error) => {
    throw wrongUsage(`Cannot read ${file}: ${error.message}`)
  })
  const { client } = await connect(io, options)
  const body = { file: new File([bytes], basename(file)), dry_run, override, ...(ref !== undefined && { ref }) }
  const route = group === undefined ? 'POST /projects/{id}/vex' : 'POST /groups/{id}/vex'
  const done = await client.call(route, { path, body }, { idempotencyKey: randomUUID() })
  if (options.json) return io.stdout.write(`${safeJson(done)}\n`)
  const isOfGroup = group !== undefined
  for (const effect of done.effects) io.stdout.write(`${describe(effect, isOfGroup)}\n`)
  io.stdout.write(`${summarize(done, isOfGroup)}\n`)
}

const marks = { dismiss: 'dismiss', resolve: 'resolve', confirm: 'confirm', none: '-' } as const

function describe(effect: Schemas['VexEffect'], isOfGroup: boolean): string {
  const { action, vulnerability, status, matched, reason, project_path: project } = effect
  const matches = counted(matched, 'vulnerability', 'vulnerabilities')
  const place = isOfGroup && project !== null ? ` of ${plain(project)}` : ''
  return `${marks[action].padEnd(8)} ${plain(vulnerability ?? '?')} (${status}, ${matches}${place}): ${plain(reason)}`
}

function summarize(done: Schemas['VexImport'], isOfGroup: boolean): string {
  const { dry_run: isPreview, changed, requested, unchanged, kept, refused, unmatched, statements } = done
  const parts = [
    `${changed} ${isPreview ? 'would change' : 'changed'}`,
    ...(requested > 0 ? [`${requested} ${isPreview ? 'would await' : 'await'} approval`] : []),
    `${unchanged} unchanged`,
    ...(kept > 0 ? [`${kept} kept, because users decided later`] : []),
    ...(refused > 0 ? [`${refused} refused, because you may not triage in their projects`] : []),
  ]
  const none = unmatched > 0 ? `; ${unmatched} about no vulnerability of the ${isOfGroup ? 'group' : 'project'}` : ''
  return `${counted(statements, 'statement')}: ${parts.join(', ')}${none}`
}

/** Writes the decisions of a project or group as a VEX document. */
export function runVexExport(io: Io, options: VexExportOptions): Promise<void> {
  return runExport(io, options)
}
