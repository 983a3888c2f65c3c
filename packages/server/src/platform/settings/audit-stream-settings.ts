import { hash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { SettingValues } from './setting-values.ts'

/** Destination of audit events. `name` identifies it in the database, metrics and the log, and contains no secrets. */
export type AuditDestination = FileDestination | SyslogDestination | HttpDestination

interface FileDestination {
  kind: 'file'
  name: string
  path: string
}

export interface SyslogDestination {
  kind: 'syslog'
  name: string
  host: string
  port: number
  isEncrypted: boolean
  /** File with the certificates to trust; defaults to those that Node.js trusts. */
  caFile?: string
}

interface HttpDestination {
  kind: 'http'
  name: string
  url: string
  headers: Readonly<Record<string, string>>
}

/** Message is shown at the start. It must not repeat the destination, which may contain secrets. */
class InvalidDestination extends Error {}

const maxDestinations = 10

/** Reads `ALCOVE_AUDIT_STREAM` and `ALCOVE_AUDIT_STREAM_HEADER`. Adds a problem for each invalid destination. */
export function readAuditStreams(values: SettingValues): AuditDestination[] {
  const destinations = wordsOf(values.get('AUDIT_STREAM')).flatMap((text, index) => {
    try {
      return readDestination(text)
    } catch (error) {
      if (!(error instanceof InvalidDestination)) throw error
      values.problems.push(`ALCOVE_AUDIT_STREAM: destination ${index + 1} ${error.message}.`)
      return []
    }
  })
  const repeated = destinations.find(({ name }, index) => index !== destinations.findIndex((one) => one.name === name))
  if (repeated) values.problems.push(`ALCOVE_AUDIT_STREAM has the destination ${repeated.name} twice; once is allowed.`)
  if (destinations.length > maxDestinations) {
    values.problems.push(`ALCOVE_AUDIT_STREAM has ${destinations.length} destinations; allowed are ${maxDestinations}.`)
  }
  return withHeaders(destinations, values)
}

const wordsOf = (text: string | undefined): string[] => (text ?? '').split(/\s+/).filter((word) => word !== '')

const forms = 'file:///path, syslog+tcp://host:port, syslog+tls://host:port or https://host/path'

function readDestination(text: string): AuditDestination {
  if (!URL.canParse(text)) throw new InvalidDestination(`is not a URL; allowed is ${forms}`)
  const url = new URL(text)
  if (url.username || url.password) {
    throw new InvalidDestination('contains a user name or password; set ALCOVE_AUDIT_STREAM_HEADER instead')
  }
  if (url.hash) throw new InvalidDestination('contains a fragment (#), which is not allowed')
  switch (url.protocol) {
    case 'file:':
      return readFileDestination(text, url)
    case 'syslog+tcp:':
    case 'syslog+tls:':
      return readSyslog(url)
    case 'http:':
    case 'https:':
      return readHttp(url)
    case 'syslog:':
    case 'syslog+udp:':
      throw new InvalidDestination('is syslog over UDP, which loses events; allowed is syslog+tcp:// or syslog+tls://')
    default:
      throw new InvalidDestination(`has the unknown scheme ${url.protocol}//; allowed is ${forms}`)
  }
}

function readFileDestination(text: string, url: URL): FileDestination {
  const isRight = text.startsWith('file:///') && !url.search && !url.pathname.endsWith('/')
  const path = isRight ? pathOf(url) : undefined
  if (!path)
    throw new InvalidDestination('is not the absolute path of a file, such as file:///var/log/alcove/audit.jsonl')
  return { kind: 'file', name: `file://${path}`, path }
}

function pathOf(url: URL): string | undefined {
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}

const standardTlsPort = 6514

function readSyslog(url: URL): SyslogDestination {
  const isEncrypted = url.protocol === 'syslog+tls:'
  const port = url.port === '' && isEncrypted ? standardTlsPort : Number(url.port)
  const parameters = [...url.searchParams]
  const caFile = url.searchParams.get('ca') ?? undefined
  if (url.hostname === '' || port === 0 || !['', '/'].includes(url.pathname)) {
    throw new InvalidDestination(`is not a host with a port, such as ${url.protocol}//logs.example.com:6514`)
  }
  if (parameters.length > (caFile ? 1 : 0) || (caFile !== undefined && !(isEncrypted && caFile.startsWith('/')))) {
    throw new InvalidDestination('has an unknown parameter; syslog+tls:// may have ca=/path/of/certificates.pem')
  }
  return {
    kind: 'syslog',
    name: `${url.protocol}//${url.hostname}:${port}`,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    isEncrypted,
    ...(caFile && { caFile }),
  }
}

/** Paths and queries often contain a token, so that the name has a fingerprint in their place. */
function readHttp(url: URL): HttpDestination {
  const rest = url.pathname + url.search
  return {
    kind: 'http',
    name: rest === '/' ? url.origin : `${url.origin}#${hash('sha256', rest).slice(0, 8)}`,
    url: url.href,
    headers: {},
  }
}

const noHeader = '-'
const headerForm = 'a header such as Authorization: Bearer …, or - for none'

/** Gives each HTTP destination the header in its line of `ALCOVE_AUDIT_STREAM_HEADER`. */
function withHeaders(destinations: AuditDestination[], values: SettingValues): AuditDestination[] {
  const lines = values.get('AUDIT_STREAM_HEADER')?.split(/\r?\n/)
  if (!lines) return destinations
  const receivers = destinations.filter(({ kind }) => kind === 'http')
  if (lines.length !== receivers.length) {
    const counts = `${lines.length} lines for ${receivers.length} HTTP destinations of ALCOVE_AUDIT_STREAM`
    values.problems.push(`ALCOVE_AUDIT_STREAM_HEADER has ${counts}; each needs one line, with ${headerForm}.`)
    return destinations
  }
  const headers = lines.map((line, index) => {
    const header = readHeader(line.trim())
    if (!header) values.problems.push(`ALCOVE_AUDIT_STREAM_HEADER: line ${index + 1} is not ${headerForm}.`)
    return header ?? {}
  })
  return destinations.map((destination) =>
    destination.kind === 'http'
      ? { ...destination, headers: headers[receivers.indexOf(destination)] ?? {} }
      : destination,
  )
}

/** Headers that frame the request. */
const reserved = ['connection', 'content-length', 'content-type', 'host', 'transfer-encoding']

function readHeader(line: string): Record<string, string> | undefined {
  if (line === noHeader) return {}
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(colon, 0))
  const value = line.slice(colon + 1).trim()
  if (!/^[A-Za-z0-9_-]+$/.test(name) || !/^[\x20-\x7e]+$/.test(value)) return undefined
  return reserved.includes(name.toLowerCase()) ? undefined : { [name]: value }
}
