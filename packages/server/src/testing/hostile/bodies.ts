import fc from 'fast-check'
import { isSentFile, type SentFile } from './files.ts'
import type { Sent } from './parameters.ts'

/** Encoding of the parameters. */
export type Manner = (typeof manners)[number]
export const manners = ['query', 'form', 'json', 'multipart', 'merge-patch', 'plain', 'blank'] as const

export interface Encoded {
  query: string
  contentType?: string
  body?: Buffer
}

export function encode(manner: Manner, parameters: readonly Sent[]): Encoded {
  switch (manner) {
    case 'query':
      return { query: urlencoded(parameters) }
    case 'form':
      return { query: '', contentType: 'application/x-www-form-urlencoded', body: Buffer.from(urlencoded(parameters)) }
    case 'json':
    case 'merge-patch':
    case 'plain':
      return { query: '', contentType: contentTypes[manner], body: Buffer.from(json(parameters)) }
    case 'multipart':
      return { query: '', contentType: `multipart/form-data; boundary=${boundary}`, body: multipart(parameters) }
    case 'blank':
      return { query: urlencoded(parameters), contentType: 'application/json', body: Buffer.alloc(0) }
  }
}

const contentTypes = {
  json: 'application/json',
  'merge-patch': 'application/merge-patch+json; charset=utf-16',
  plain: 'text/plain',
}

/** A body that does not match its content type or is malformed. */
export const brokenBody: fc.Arbitrary<Encoded> = fc
  .tuple(
    fc.constantFrom(
      'application/json',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      'application/x-www-form-urlencoded',
      'multipart/mixed; boundary=x',
      'application/octet-stream',
      'application/json; charset=nonsense',
      ';',
      'multipart/form-data; boundary="',
    ),
    fc.oneof(
      fc.constantFrom(...texts()),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    ),
  )
  .map(([contentType, body]) => ({ query: '', contentType, body }))

function texts(): Buffer[] {
  const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n'
  return [
    '{"name":',
    '[1]',
    'null',
    '"x"',
    '{}{}',
    '{"a":1e400}',
    '{"name":"a","name":"b"}',
    '\ufeff{}',
    '{"\\u0000":1}',
    '['.repeat(5000),
    '{"a":'.repeat(5000),
    '{"name":"\\ud800"}',
    '{"__proto__":{"isAdmin":true},"constructor":1}',
    '%',
    'a=%zz',
    '&&&=&',
    'a[b=1&a[b]=2&a=3',
    'a[]=1&a[b]=2',
    `a${'[b]'.repeat(200)}=1`,
    'x&'.repeat(5000),
    '--x--',
    '--x\r\n\r\n',
    `${part}\r\nx`,
    `${part}\r\nx\r\n--x`,
    `${part}\r\nx\r\n--x--\r\n${part}\r\nmore\r\n--x--`,
    `${part}Content-Type: text/plain; charset=nonsense\r\n\r\nx\r\n--x--`,
    '--x\r\nContent-Disposition: form-data\r\n\r\nx\r\n--x--',
    `--x\r\n${'A: b\r\n'.repeat(3000)}\r\nx\r\n--x--`,
    `${part}Content-Transfer-Encoding: base64\r\n\r\n!!!\r\n--x--`,
    '--x\r\nContent-Disposition: form-data; name="__proto__"; filename="x"\r\n\r\nx\r\n--x--',
    `${'--x\r\n'.repeat(2000)}--x--`,
  ].map((text) => Buffer.from(text))
}

function json(parameters: readonly Sent[]): string {
  const members = parameters.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(plain(value))}`)
  return `{${members.join(',')}}`
}

function plain(value: unknown): unknown {
  return isSentFile(value) ? Buffer.from(value.content.subarray(0, 100)).toString('latin1') : value
}

function urlencoded(parameters: readonly Sent[]): string {
  return flatten(parameters)
    .map(([name, value]) => `${percent(name)}=${percent(isSentFile(value) ? value.filename : value)}`)
    .join('&')
}

/** Percent-encodes text. An unpaired surrogate becomes bytes that are not valid UTF-8. */
function percent(text: string): string {
  return text.isWellFormed()
    ? encodeURIComponent(text)
    : encodeURIComponent(text.toWellFormed()).replaceAll('%EF%BF%BD', '%ED%A0%80')
}

type Flat = readonly [name: string, value: string | SentFile]

function flatten(parameters: readonly Sent[]): Flat[] {
  const flat: Flat[] = []
  const add = (name: string, value: unknown, depth: number) => {
    if (isSentFile(value)) flat.push([name, value])
    else if (Array.isArray(value) && depth < 8)
      for (const element of value.slice(0, 200)) add(`${name}[]`, element, depth + 1)
    else if (typeof value === 'object' && value !== null && depth < 8) {
      for (const [key, element] of Object.entries(value)) add(`${name}[${key}]`, element, depth + 1)
    } else flat.push([name, String(value)])
  }
  for (const [name, value] of parameters) add(name, value, 0)
  return flat
}

const boundary = 'a-boundary-that-occurs-nowhere-else'

function multipart(parameters: readonly Sent[]): Buffer {
  const parts = flatten(parameters).flatMap(([name, value]) => {
    const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${quotable(name)}"`
    if (!isSentFile(value)) return [`${disposition}\r\n\r\n${value}\r\n`]
    const head = `${disposition}; filename="${quotable(value.filename)}"\r\nContent-Type: ${value.contentType}\r\n\r\n`
    return [head, Buffer.from(value.content), '\r\n']
  })
  return Buffer.concat(
    [...parts, `--${boundary}--\r\n`].map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  )
}

const quotable = (text: string) => text.replace(/[\r\n"]/g, (character) => encodeURIComponent(character))
