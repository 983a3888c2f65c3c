import { type BodyOf, type Client, RequestFailed, type Schemas } from '@alcove/client'
import { type ConnectionOptions, connect } from '../connection.ts'
import { wrongUsage } from '../exit.ts'
import { nameOf, placeOf, severityOf } from '../findings.ts'
import { openPalette } from '../formats/palette.ts'
import { type Io, isColoured } from '../io.ts'
import { plain, safeJson } from '../safe-text.ts'

type Vulnerability = Schemas['Vulnerability']

/** Prints everything about a vulnerability. */
export async function runShow(io: Io, id: string, options: ConnectionOptions & { json?: boolean }): Promise<void> {
  const { client } = await connect(io, options)
  const shown = await client.call('GET /vulnerabilities/{id}', { path: { id: readId(id) } })
  io.stdout.write(options.json ? `${safeJson(shown)}\n` : describe(io, shown))
}

function describe(io: Io, shown: Vulnerability): string {
  const paint = openPalette(isColoured(io, io.stdout))
  const { finding, project } = shown
  const severity = severityOf(shown)
  const rows = [
    ['State', `${shown.state}${shown.dismissal_reason ? ` (${shown.dismissal_reason})` : ''}`],
    ['Until', endOf(shown)],
    ['Severity', `${paint.severity(severity, severity)}${shown.severity_overridden ? ' (set by a user)' : ''}`],
    ['Project', project.path_with_namespace],
    ['Location', placeOf(finding).text],
    ['Type', shown.report_type],
    ['Identifier', finding.cve ?? ''],
    ['Detected', finding.detected_at],
    ['Link', shown.web_url],
  ] as const
  const lines = rows.flatMap(([label, value]) => (value ? [`${label.padEnd(11)} ${keepColours(value)}`] : []))
  const texts = [shown.description, finding.solution && `Solution: ${finding.solution}`]
  const paragraphs = texts.flatMap((text) => (text ? [text.split('\n').map(plain).join('\n')] : []))
  return `${[paint.bold(`#${shown.id} ${nameOf({ name: shown.title })}`), ...lines, ...paragraphs.map((text) => `\n${text}`)].join('\n')}\n`
}

/** When a dismissal ends. Blank without an end. */
function endOf({ dismissed_until: until, dismissed_until_fixed: untilFixed }: Vulnerability): string {
  return [until, untilFixed && 'a fix is available'].filter(Boolean).join(' or ')
}

/** Cleans a value, except one that this program has coloured. */
function keepColours(value: string): string {
  return value.startsWith('\x1b[') ? value : plain(value)
}

export interface TriageOptions extends ConnectionOptions {
  comment?: string
  reason?: string
  until?: string
  untilFixed?: boolean
  json?: boolean
}

type Action = 'dismiss' | 'resolve' | 'confirm' | 'revert'

const outcomes: Record<Action, string> = {
  dismiss: 'dismissed',
  resolve: 'resolved',
  confirm: 'confirmed',
  revert: 'reopened',
}

/** Changes the state of vulnerabilities, one after the other. */
export async function runTriage(io: Io, action: Action, ids: readonly string[], options: TriageOptions): Promise<void> {
  const numbers = ids.map(readId)
  const { client } = await connect(io, options)
  const changed: (Vulnerability | { id: number; unchanged: true })[] = []
  for (const id of numbers) {
    const after = await change(client, action, id, options)
    changed.push(after ?? { id, unchanged: true })
    if (options.json) continue
    const title = after ? `: ${nameOf({ name: after.title })}` : ''
    io.stdout.write(`#${id} ${outcomeOf(action, after)}${title}\n`)
  }
  if (options.json) io.stdout.write(`${safeJson(changed)}\n`)
}

function outcomeOf(action: Action, after: Vulnerability | undefined): string {
  if (!after) return `was already ${outcomes[action]}`
  // Servers of earlier versions do not send the field.
  const awaits = action === 'dismiss' && typeof after.dismissal_request_id === 'number'
  return awaits ? 'is not dismissed yet, because another user must approve it' : outcomes[action]
}

/** Changes one state. Returns `undefined` if it was the state already. */
async function change(
  client: Client,
  action: Action,
  id: number,
  { comment, reason, until, untilFixed }: TriageOptions,
): Promise<Vulnerability | undefined> {
  const fields = { comment, dismissal_reason: reason, until, until_fixed: untilFixed }
  const body = fields as BodyOf<'POST /vulnerabilities/{id}/dismiss'> // the server validates the reason
  try {
    if (action === 'dismiss') return await client.call('POST /vulnerabilities/{id}/dismiss', { path: { id }, body })
    return await client.call(`POST /vulnerabilities/{id}/${action}`, { path: { id }, body: { comment } })
  } catch (error) {
    if (error instanceof RequestFailed && error.status === 304) return undefined
    throw error
  }
}

function readId(text: string): number {
  const id = Number(text.replace(/^#/, ''))
  if (Number.isSafeInteger(id) && id > 0) return id
  throw wrongUsage(`${JSON.stringify(text)} is not the number of a vulnerability. alcove list prints the numbers.`)
}
