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
  preview?: boolean
  ref?: string
  override?: boolean
  json?: boolean
}

export type VexExportOptions = ExportOptions

/** Imports a VEX document, or prints what its statements would do. */
export async function runVexImport(io: Io, file: string, options: VexImportOptions): Promise<void> {
  const { preview: dry_run = false, ref, override = false } = options
  const path = { id: projectOf(io, options.project) }
  const bytes = await readFile(resolve(io.cwd, file)).catch((error: Error) => {
    throw wrongUsage(`Cannot read ${file}: ${error.message}`)
  })
  const { client } = await connect(io, options)
  const body = { file: new File([bytes], basename(file)), dry_run, override, ...(ref !== undefined && { ref }) }
  const done = await client.call('POST /projects/{id}/vex', { path, body }, { idempotencyKey: randomUUID() })
  if (options.json) return io.stdout.write(`${safeJson(done)}\n`)
  for (const effect of done.effects) io.stdout.write(`${describe(effect)}\n`)
  io.stdout.write(`${summarize(done)}\n`)
}

const marks = { dismiss: 'dismiss', resolve: 'resolve', confirm: 'confirm', none: '-' } as const

function describe({ action, vulnerability, status, matched, reason }: Schemas['VexEffect']): string {
  const matches = counted(matched, 'vulnerability', 'vulnerabilities')
  return `${marks[action].padEnd(8)} ${plain(vulnerability ?? '?')} (${status}, ${matches}): ${plain(reason)}`
}

function summarize(done: Schemas['VexImport']): string {
  const { dry_run: isPreview, changed, requested, unchanged, kept, unmatched, statements } = done
  const parts = [
    `${changed} ${isPreview ? 'would change' : 'changed'}`,
    ...(requested > 0 ? [`${requested} ${isPreview ? 'would await' : 'await'} approval`] : []),
    `${unchanged} unchanged`,
    ...(kept > 0 ? [`${kept} kept, because users decided later`] : []),
  ]
  const none = unmatched > 0 ? `; ${unmatched} about no vulnerability of the project` : ''
  return `${counted(statements, 'statement')}: ${parts.join(', ')}${none}`
}

/** Writes the decisions of a project or group as a VEX document. */
export function runVexExport(io: Io, options: VexExportOptions): Promise<void> {
  return runExport(io, options)
}
