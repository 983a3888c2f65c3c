import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openDocument } from './document.ts'
import { maxDepth, NotJson, parseReportJson } from './json.ts'
import { findSyntaxError } from './json-syntax.ts'
import { checkUtf8, openText } from './source.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const bytes = (...values: (number | string)[]) =>
  Buffer.concat(values.map((value) => (typeof value === 'number' ? Buffer.from([value]) : Buffer.from(value))))

async function* inPieces(bytes: Uint8Array, size = 3) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

/** Read in pieces of three bytes, so that every character is cut somewhere. */
async function decodeText(bytes: Uint8Array): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of checkUtf8(openText(() => inPieces(bytes)))) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const surveyOf = (text: Uint8Array | string) => openDocument(() => inPieces(Buffer.from(text))).survey()

describe('decoding bytes', () => {
  test('accepts UTF-8 with and without a byte order mark', async () => {
    expect(await decodeText(utf8('{"ä":1}'))).toBe('{"ä":1}')
    expect(await decodeText(utf8('\ufeff{"ä":1}'))).toBe('{"ä":1}')
  })

  test('accepts UTF-16 in both byte orders', async () => {
    const little = Buffer.from('\ufeff{"😀":1}', 'utf16le')
    expect(await decodeText(little)).toBe('{"😀":1}')
    expect(await decodeText(Buffer.from(little).swap16())).toBe('{"😀":1}')
  })

  test.for([
    ['an empty file', bytes(), 'Report file is empty'],
    ['only a byte order mark', utf8('\ufeff'), 'Report file is empty'],
    ['only spaces', utf8(' \n'), 'Report file is empty'],
    ['half a gzip file', gzipSync('{"a":1}').subarray(0, 20), 'damaged or cut off'],
    ['gzip of gzip', gzipSync(gzipSync('{"a":1}')), 'compressed with gzip twice'],
    ['ISO-8859-1', bytes('{\n"a": "', 0xe4, '"}'), 'byte 0xe4 at offset 8 (line 2)'],
    ['a truncated character', bytes('{"a": "', 0xf0, 0x9f), 'byte 0xf0 at offset 7 (line 1)'],
    ['an overlong character', bytes('"', 0xc0, 0x80, '"'), 'byte 0xc0 at offset 1 (line 1)'],
  ] as const)('rejects %s with a reason', async ([, given, reason]) => {
    await expect(surveyOf(given)).rejects.toThrow(reason)
  })

  test('decompresses gzip, and rejects excessive expansion early', async () => {
    expect(await decodeText(gzipSync('{"ä":1}'))).toBe('{"ä":1}')
    const limits = { maxBytes: 1e9, maxRatio: 100, ratioFromBytes: 1e6 }
    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '))
    const read = async () => {
      for await (const _ of openText(() => inPieces(bomb, 1000), limits));
    }
    await expect(read()).rejects.toThrow('unpacks to more than 100 times its size')
    await expect(openText(() => inPieces(utf8('[1,2]')), { ...limits, maxBytes: 4 }).next()).rejects.toThrow(
      'MiB of text',
    )
  })
})

describe('parsing JSON', () => {
  test.for([
    ['{"a": 1,}', 1, 9, 'unexpected "}", expected a property name in double quotes'],
    ['[1,]', 1, 4, 'unexpected "]", expected a value'],
    ['[1 2]', 1, 4, 'unexpected "2", expected "," or the end'],
    ['{\n  "a" 1}', 2, 7, 'expected ":"'],
    ['{a: 1}', 1, 2, 'expected a property name in double quotes or "}"'],
    ['{"a": 01}', 1, 8, 'unexpected "1"'],
    ['{"a": NaN}', 1, 7, 'unexpected "N", expected a value'],
    ['{"a": tru}', 1, 7, 'unexpected "t", expected a value'],
    ['{"a": 1} x', 1, 10, 'unexpected "x" after the end'],
    ['{"a": 1', 1, 8, 'ends too early'],
    ['["a\nb"]', 1, 4, 'must be escaped'],
    ['["\\x"]', 1, 3, 'unknown escape'],
    ['["\\u12"]', 1, 3, 'unknown escape'],
    ['["abc', 1, 2, 'never ends'],
    ['[{"a": 1},\n{"b": 2}', 2, 9, 'ends too early'],
    ['[{"a": 1},\n{"b": "c', 2, 7, 'never ends'],
    ['# Words\nwith [a few](link)', 1, 1, 'unexpected "#"'],
    ['[}', 1, 2, 'unexpected "}"'],
    ['// x', 1, 1, 'unexpected "/"'],
    ['\n\n 😀', 3, 2, 'unexpected'],
  ] as const)('rejects %j at line %i, column %i', async ([text, line, column, what]) => {
    expect(() => JSON.parse(text)).toThrow()
    expect(findSyntaxError(text).what).toContain(what)
    expect(() => parseReportJson(text)).toThrow(NotJson)
    const context = openDocument(() => inPieces(utf8(text))).context([['*']])
    await expect(context).rejects.toThrow(`line ${line}, column ${column}`)
  })

  test('finds the position of every syntax error of JSON.parse', () => {
    const broken = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 3 })).map(([json, at, noise]) => {
      const cut = at % (json.length + 1)
      return json.slice(0, cut) + noise + json.slice(cut + (at % 3))
    })
    const pieces = fc.array(
      fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', '-', 'e1', 'null', ' ', '\\', '"'),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          broken,
          pieces.map((all) => all.join('')),
        ),
        (text) => {
          fc.pre(!isJson(text))
          expect(findSyntaxError(text).what).not.toMatch(/^nothing/)
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('uses the last of two equal keys', () => {
    expect(parseReportJson('{"a": 1, "a": 2}').value).toEqual({ a: 2 })
  })

  test('replaces what a database cannot store, with a warning', () => {
    const { value, warnings } = parseReportJson('{"a\\u0000": ["b\\u0000", "\\ud800c", "😀", 1e999, -1e999]}')
    expect(value).toEqual({ 'a\\u0000': ['b\\u0000', '\ufffdc', '😀', Number.MAX_VALUE, -Number.MAX_VALUE] })
    expect(warnings).toEqual([
      'Report artifact contained unicode null characters which are escaped during the ingestion.',
      expect.stringContaining('lone surrogates'),
      expect.stringContaining('numbers too large'),
    ])
  })

  test('treats the key __proto__ as data', () => {
    const { value } = parseReportJson('{"__proto__": {"admin": "\\u0000"}, "a": "\\u0000"}')
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect((value as { admin?: unknown }).admin).toBeUndefined()
    expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":"\\\\u0000"},"a":"\\\\u0000"}')
  })

  test('limits nesting, and survives 100,000 levels', async () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(await surveyOf(nested(maxDepth))).toHaveLength(1)
    await expect(surveyOf(nested(maxDepth + 1))).rejects.toThrow('more than 1000 levels')
    await expect(surveyOf(nested(100_000))).rejects.toThrow('more than 1000 levels')
    await expect(surveyOf('['.repeat(500))).rejects.toThrow('the file ends too early')
  })

  test('keeps the original notation of line numbers where it matters', () => {
    const lines = (number: string) =>
      parseReportJson(`[{"start_line" : ${number} ,"x":"\\"end_line\\": 1.0"}]`).exactLines
    expect(lines('10')).toBeUndefined()
    expect(lines('10.0')).toEqual([{ start_line: '10.0', x: '"end_line": 1.0' }])
    expect(lines('1e2')).toEqual([{ start_line: '100.0', x: '"end_line": 1.0' }])
    expect(lines('-2.50')).toEqual([{ start_line: '-2.5', x: '"end_line": 1.0' }])
    expect(lines('12345678901234567890')).toMatchObject([{ start_line: '12345678901234567890' }])
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
