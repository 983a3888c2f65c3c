import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Schemas } from '@alcove/client'
import { type ConnectionOptions, connect } from '../connection.ts'
import { wrongUsage } from '../exit.ts'
import type { Io } from '../io.ts'
import { plain, safeJson } from '../safe-text.ts'
import { findFiles } from '../upload/files.ts'
import { openProgress } from '../upload/progress.ts'
import { projectOf } from './project-of.ts'

export interface AttachOptions extends ConnectionOptions {
  project?: string
  group?: string
  json?: boolean
}

/** Uploads files for use in Markdown, and prints the Markdown of each. */
export async function runAttach(io: Io, patterns: readonly string[], options: AttachOptions): Promise<void> {
  const { project, group } = options
  if (group !== undefined && project !== undefined) throw wrongUsage('Use either --project or --group.')
  const files = await findFiles(io.cwd, patterns)
  const { client } = await connect(io, options)
  const path = { id: group ?? projectOf(io, project) }
  const operation = group === undefined ? 'POST /projects/{id}/uploads' : 'POST /groups/{id}/uploads'
  const progress = openProgress(io)
  const uploads: (Schemas['Upload'] & { file: string })[] = []
  for (const file of files) {
    progress.show(`Uploading ${file}`)
    const body = { file: new File([await readFile(resolve(io.cwd, file))], basename(file)) }
    const upload = await client
      .call(operation, { path, body }, { idempotencyKey: randomUUID() })
      .finally(progress.clear)
    uploads.push({ file, ...upload })
    if (!options.json) io.stdout.write(`${plain(upload.markdown)}\n`)
  }
  if (options.json) io.stdout.write(`${safeJson(uploads)}\n`)
}
