import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { type Client, RequestFailed, type Schemas } from '@alcove/client'
import { type ConnectionOptions, connect } from '../connection.ts'
import type { Io } from '../io.ts'
import { writeOutputFile } from '../output-file.ts'
import { plain, safeJson } from '../safe-text.ts'
import { projectOf } from './project-of.ts'

type Options = ConnectionOptions & { json?: boolean }

const pageSize = 100
const maxPages = 100

/** Prints the topics of the server. */
export async function runTopicList(io: Io, options: Options & { search?: string }): Promise<void> {
  const { client } = await connect(io, options)
  const topics = await listTopics(client, options.search)
  if (options.json) return io.stdout.write(`${safeJson(topics)}\n`)
  for (const { name, title, total_projects_count: projects } of topics) {
    const shownTitle = title === name ? '' : `  ${plain(title)}`
    io.stdout.write(`${String(projects).padStart(6)}  ${plain(name)}${shownTitle}\n`)
  }
  if (topics.length === 0) io.stderr.write('Nothing matches.\n')
}

async function listTopics(client: Client, search: string | undefined): Promise<Schemas['Topic'][]> {
  const topics: Schemas['Topic'][] = []
  for (let number = 1; number <= maxPages; number++) {
    const query = { search, per_page: pageSize, page: number }
    const page = await client.page('GET /topics', { query })
    topics.push(...page.rows)
    if (!page.hasNext) break
  }
  return topics
}

/** Prints the topics of a project, or replaces them. */
export async function runTopicAssign(
  io: Io,
  names: readonly string[] | undefined,
  options: Options & { project?: string },
): Promise<void> {
  const path = { id: projectOf(io, options.project) }
  const { client } = await connect(io, options)
  const { topics } =
    names === undefined
      ? await client.call('GET /projects/{id}', { path })
      : await client.call('PUT /projects/{id}', { path, body: { topics: [...names] } })
  if (options.json) io.stdout.write(`${safeJson(topics ?? [])}\n`)
  else for (const topic of topics ?? []) io.stdout.write(`${plain(topic)}\n`)
}

/** Writes all topics with their aliases to a file or the standard output. */
export async function runTopicExport(
  io: Io,
  options: Options & { format: 'yaml' | 'json'; output?: string },
): Promise<void> {
  const { client } = await connect(io, options)
  const format = options.json ? 'json' : options.format
  const file = await client.file('GET /topics/export', { query: { format } })
  const bytes = new Uint8Array(await file.arrayBuffer())
  if (options.output === undefined) io.stdout.write(bytes)
  else await writeOutputFile(io, options.output, bytes)
}

/** Creates and changes topics so that they equal a file. */
export async function runTopicImport(
  io: Io,
  path: string,
  { prune, dryRun, ...options }: Options & { prune?: boolean; dryRun?: boolean },
): Promise<void> {
  const file = new File([await readFile(resolve(io.cwd, path))], basename(path))
  const { client } = await connect(io, options)
  const format = path.endsWith('.json') ? 'json' : 'yaml'
  const body = { file, format, prune: prune ?? false, dry_run: dryRun ?? false } as const
  const result = await client.call('POST /topics/import', { body }).catch((error: unknown) => {
    // The reasons name each wrong entry of the file.
    const reasons = error instanceof RequestFailed ? error.reasons : []
    for (const reason of reasons) io.stderr.write(`${plain(reason)}\n`)
    throw error
  })
  io.stdout.write(`${safeJson(result)}\n`)
}
