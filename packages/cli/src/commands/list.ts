import type { Client, Request, RowOf } from '@alcove/client'
import { type ConnectionOptions, connect } from '../connection.ts'
import { wrongUsage } from '../exit.ts'
import { nameOf, placeOf, severityOf } from '../findings.ts'
import { openPalette } from '../formats/palette.ts'
import { type Io, isColoured } from '../io.ts'
import { plain, safeJson, shorten } from '../safe-text.ts'
import { waitingInWords } from '../waiting.ts'
import { projectOf } from './project-of.ts'

export interface ListOptions extends ConnectionOptions {
  project?: string
  group?: string
  findings?: boolean
  state: string[]
  severity: string[]
  reportType: string[]
  scanner: string[]
  identifier: string[]
  search?: string
  ref?: string
  notOn?: string
  sort?: string
  limit: number
  json?: boolean
}

type ListName =
  | 'GET /projects/{id}/vulnerabilities'
  | 'GET /groups/{id}/vulnerabilities'
  | 'GET /projects/{id}/vulnerability_findings'

const pageSize = 100

/** Prints vulnerabilities, or findings, the most severe first. */
export async function runList(io: Io, options: ListOptions): Promise<void> {
  const { operation, id } = placeOfList(io, options)
  const { client } = await connect(io, options)
  const { rows, hasMore } = await readRows(client, operation, { id, query: queryOf(options), limit: options.limit })
  if (options.json) io.stdout.write(`${safeJson(rows)}\n`)
  else {
    const paint = openPalette(isColoured(io, io.stdout))
    for (const row of rows.map(viewRow)) {
      const place = row.place && `  ${row.place}`
      io.stdout.write(
        `${row.id.padStart(6)}  ${paint.severity(row.severity, row.severity.padEnd(8))}  ${row.state.padEnd(9)}  ${row.name}${place}\n`,
      )
    }
    if (rows.length === 0) io.stderr.write('Nothing matches.\n')
  }
  if (rows.length === 0 && !options.findings) await writeWaiting(io, client, operation, id)
  if (hasMore)
    io.stderr.write(`There is more; this is the beginning. Use --limit to print more than ${options.limit}.\n`)
}

/** Prints how many findings await promotion, so that an empty list is not mistaken for the absence of problems. */
async function writeWaiting(io: Io, client: Client, operation: ListName, id: string): Promise<void> {
  const isGroup = operation === 'GET /groups/{id}/vulnerabilities'
  const { waiting_findings: waiting } = isGroup
    ? await client.call('GET /groups/{id}/vulnerability_statistics', { path: { id } })
    : await client.call('GET /projects/{id}/vulnerability_statistics', { path: { id } })
  if (waiting === 0) return
  const how = isGroup ? 'List them by project with --project and --findings.' : 'List them with --findings.'
  io.stderr.write(`But ${waitingInWords(waiting)}. ${how}\n`)
}

function placeOfList(io: Io, { project, group, findings }: ListOptions): { operation: ListName; id: string } {
  if (group !== undefined && project !== undefined) throw wrongUsage('Use either --project or --group.')
  if (group !== undefined && findings) throw wrongUsage('Findings are listed by project: use --project.')
  if (group !== undefined) return { operation: 'GET /groups/{id}/vulnerabilities', id: group }
  const id = projectOf(io, project)
  return {
    operation: findings ? 'GET /projects/{id}/vulnerability_findings' : 'GET /projects/{id}/vulnerabilities',
    id,
  }
}

/** Returns the filters that were given. The server validates their values. */
function queryOf(options: ListOptions): Record<string, unknown> {
  const list = (words: readonly string[]) => (words.length > 0 ? words : undefined)
  return {
    state: list(options.state),
    severity: list(options.severity),
    report_type: list(options.reportType),
    scanner: list(options.scanner),
    identifier: list(options.identifier),
    search: options.search,
    ref: options.ref,
    not_on: options.notOn,
    sort: options.findings ? undefined : (options.sort ?? 'severity_desc'),
  }
}

async function readRows(
  client: Client,
  operation: ListName,
  { id, query, limit }: { id: string; query: Record<string, unknown>; limit: number },
) {
  const rows: RowOf<ListName>[] = []
  let cursor: string | undefined
  do {
    const page = { ...query, pagination: 'keyset', per_page: Math.min(pageSize, limit - rows.length), cursor }
    const request = { path: { id }, query: page } as Request<ListName> // the server validates the words of the user
    const found = await client.page(operation, request)
    rows.push(...found.rows)
    cursor = found.hasNext ? found.cursor : undefined
  } while (cursor && rows.length < limit)
  return { rows, hasMore: cursor !== undefined }
}

const maxNameLength = 100

/** Returns what is printed of a vulnerability or a finding. */
function viewRow(row: RowOf<ListName>) {
  const [name, location] = 'title' in row ? [row.title, row.finding.location] : [row.name, row.location]
  return {
    id: String(row.id),
    severity: severityOf(row),
    state: plain(row.state),
    name: shorten(nameOf({ name }), maxNameLength),
    place: placeOf({ location }).text,
  }
}
