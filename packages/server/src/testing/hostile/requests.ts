import { type Agent, type IncomingHttpHeaders, request } from 'node:http'
import fc from 'fast-check'
import type { TObject } from 'typebox'
import { brokenBody, type Encoded, encode, manners } from './bodies.ts'
import { fitting, fittingInteger, parametersFor } from './parameters.ts'
import { hostileText } from './values.ts'

/** The properties of a route that are needed to send a request to it. */
export interface Target {
  method: string
  /** Path from the root, with `:name` parameters. */
  address: string
  /** Kind of resource that `:id` identifies, unless it is a number. */
  on: 'instance' | 'project' | 'group' | 'vulnerability'
  input?: TObject | undefined
  paged?: boolean | undefined
}

export interface HostileRequest extends Encoded {
  method: string
  path: string
  headers: Record<string, string>
  caller: string
}

/** Generates requests to a route, most of them plausible. The test replaces placeholders in braces. */
export function requestsTo(target: Target, callers: readonly string[]): fc.Arbitrary<HostileRequest> {
  const names = [...target.address.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const parts = fc.record({
    caller: fc.constantFrom(...callers),
    values: fc.tuple(...names.map((name) => pathValue(target, name))),
    payload: payload(target, names),
    headers: fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: hostileHeaders }),
    method: fc.oneof(
      { weight: 30, arbitrary: fc.constant(target.method === 'GET' ? 'GET' : target.method) },
      { weight: 1, arbitrary: fc.constantFrom('HEAD', 'OPTIONS', 'PATCH', 'PUT') },
    ),
  })
  return parts.map(({ caller, values, payload, headers, method }) => {
    const byName = new Map(names.map((name, index) => [name, values[index] ?? '']))
    const path = target.address.replace(/:(\w+)/g, (_, name) => byName.get(name) ?? '')
    return { ...payload, caller, method, path, headers }
  })
}

function payload(target: Target, names: readonly string[]): fc.Arbitrary<Encoded> {
  const properties = Object.entries(target.input?.properties ?? {}).filter(([name]) => !names.includes(name))
  const input = target.input && ({ ...target.input, properties: Object.fromEntries(properties) } as TObject)
  const hasFile = properties.some(([, schema]) => (schema as { format?: string }).format === 'binary') // any keyword may be absent
  const manner = target.method === 'GET' ? fc.constant('query' as const) : fc.constantFrom(...manners)
  return fc.oneof(
    {
      weight: 12,
      arbitrary: fc
        .tuple(
          hasFile ? fc.oneof({ weight: 3, arbitrary: fc.constant('multipart' as const) }, manner) : manner,
          parametersFor(input, target.paged),
        )
        .map(([manner, parameters]) => encode(manner, parameters)),
    },
    { weight: 1, arbitrary: brokenBody },
  )
}

function pathValue(target: Target, name: string): fc.Arbitrary<string> {
  const right = rightPathValue(target, name).map((value) => encodeURIComponent(String(value)))
  return fc.oneof(
    { weight: 8, arbitrary: right },
    { weight: 1, arbitrary: fc.constantFrom(...rawPathValues) },
    // The client library resolves `.` and `..` in a path, even when they are encoded.
    {
      weight: 1,
      arbitrary: hostileText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 6000) || '%20'),
    },
  )
}

function rightPathValue({ address, on, input }: Target, name: string): fc.Arbitrary<unknown> {
  if (name === 'vulnerability_id' || (name === 'id' && on === 'vulnerability')) return fc.constant('{vulnerability}')
  if (address.endsWith('/unban')) return fc.constant('{banned}')
  if (name === 'note_id' || name === 'issue_link_id' || name === 'bulk_id') return fc.constant(`{${name}}`)
  if (name === 'id' && on !== 'instance') return fc.constantFrom(`{${on}}`, `{${on} path}`)
  const [, noun] = /(user|topic|avatar)s?\/:id/.exec(address) ?? []
  if (name === 'id' && noun) return fc.constant(noun === 'user' ? '{stranger}' : '{topic}')
  if (name === 'id' && address.includes('impersonation')) return fc.constant('{impersonation}')
  if (name === 'upload_id') return fc.constant(`{${on} upload}`)
  if (name === 'hook_id') return fc.constant(`{${on} hook}`)
  if (name === 'key') return fc.constantFrom('X-Team', 'team')
  if (name === 'secret') return fc.constant(`{${on} secret}`)
  if (address.includes('avatar') && name === 'filename') return fc.constant('avatar.png')
  const schema = input?.properties[name]
  return schema ? fitting(name, schema) : fittingInteger(name)
}

const rawPathValues = [
  '%00',
  'acme%2F%00',
  '%zz',
  '%',
  '%c3%28',
  '%ed%a0%80',
  '%2525',
  '%2e%2e',
  '..%2f..%2fetc%2fpasswd',
  '..%5c',
  '.',
  '%2e',
  '..',
  ';x=1',
  'a%2Fb%2Fc',
  '%2F',
  '%3F',
  '%23',
  'ÿþ',
  '1%20',
  '%0a',
  '1.json',
  '-1',
  '0',
  '1e2',
  '__proto__',
  '%F0%9F%98%80',
  'acme%2Fsite%2F',
  '%2Facme',
  'x'.repeat(9000),
  `${'a%2F'.repeat(1000)}b`,
  '9'.repeat(400),
]

const hostileHeaders: fc.Arbitrary<Record<string, string>> = fc
  .array(
    fc.oneof(
      ...Object.entries({
        range: [
          'bytes=0-',
          'bytes=-1',
          'bytes=-0',
          'bytes=9-1',
          'bytes=0-0,2-3',
          `bytes=${'9'.repeat(400)}-`,
          'lines=1',
          'bytes=a-b',
        ],
        'if-none-match': ['*', '"x"', 'W/"x"', ',,,', '"', 'é'],
        'if-match': ['*', '"x"'],
        'if-range': ['"x"', 'Sun, 06 Nov 1994 08:49:37 GMT', 'x'],
        'if-modified-since': ['Sun, 06 Nov 2094 08:49:37 GMT', '0', 'x', '-1', '9'.repeat(300)],
        'if-unmodified-since': ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 2094 08:49:37 GMT', 'x'],
        sudo: ['1', '2', 'root', '__proto__', '-1', '99999999999999999999', 'é', 'x'.repeat(3000)],
        authorization: [
          'Bearer',
          'Bearer ',
          'Bearer x y',
          'Basic cm9vdDp4',
          'Bearer é',
          '{',
          `Bearer ${'x'.repeat(4000)}`,
        ],
        'private-token': ['', ' ', 'x', 'é', 'alpat-0000'],
        cookie: ['alcove_session=x', 'alcove_session=', ';;=;', `alcove_session=${'x'.repeat(4000)}`],
        origin: ['null', 'https://evil.example', 'x'],
        host: ['evil.example', 'a"b<c>', 'x:99999', '', '[::1', 'a b'],
        'x-forwarded-host': ['evil.example'],
        'x-request-id': ['x'.repeat(500), 'a b', '../..'],
        'accept-encoding': ['gzip', '*;q=0'],
        'content-encoding': ['gzip', 'x'],
        expect: ['100-continue'],
        'x-http-method-override': ['DELETE'],
      }).map(([name, values]) => fc.constantFrom(...values).map((value) => [name, value] as const)),
    ),
    { maxLength: 2 },
  )
  .map(Object.fromEntries)

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  ms: number
}

const patienceMs = 5_000

/** Sends the request unchanged over a real connection. Rejects when no complete response arrives in time. */
export function send(
  agent: Agent,
  port: number,
  { method, path, headers, body }: Omit<HostileRequest, 'caller' | 'query'>,
): Promise<Answer> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { agent, maxHeaderSize: 20_000, port, host: '127.0.0.1', method, path, headers },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', settle(reject))
        incoming.on('end', () => {
          clearTimeout(timer)
          const { statusCode = 0, headers } = incoming
          resolve({ status: statusCode, headers, body: Buffer.concat(chunks), ms: performance.now() - started })
        })
      },
    )
    const timer = setTimeout(() => outgoing.destroy(new Error(`no answer in ${patienceMs} ms`)), patienceMs)
    const settle = (act: (error: Error) => void) => (error: Error) => {
      clearTimeout(timer)
      act(error)
    }
    outgoing.on('error', settle(reject)).end(body)
  })
}
