import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPartHeaders } from './part-headers.ts'

const read = (disposition: string, type?: string) =>
  readPartHeaders({
    'content-disposition': [Buffer.from(disposition).toString('latin1')],
    'content-type': type === undefined ? undefined : [type],
  })
const filenameIn = (parameters: string) => read(`form-data; name="file"; ${parameters}`)?.filename

test.each([
  ['filename="plain.png"', 'plain.png'],
  ['filename="a\\"b.png"', 'a"b.png'],
  ['filename="a%22b.png"', 'a"b.png'],
  ['filename="a%0D%0ab.png"', 'a\r\nb.png'],
  ['filename="100%25 a%20b.png"', '100%25 a%20b.png'],
  ['filename="a\\\\b.png"', 'a\\b.png'],
  ["filename*=UTF-8''d%C3%A9.png", 'dé.png'],
  ["filename*=utf-8'en'd%C3%A9%0A%22.png", 'dé\n".png'],
  ["filename*=ISO-8859-1''d%E9.png", 'dé.png'],
  ['filename="plain.png"; filename*=UTF-8\'\'d%C3%A9.png', 'dé.png'],
  ['filename*=UTF-8\'\'d%C3%A9.png; filename="plain.png"', 'dé.png'],
  ['filename="plain.png"; filename*=KOI8-R\'\'%C1.png', 'plain.png'],
  ["filename*=KOI8-R''%C1.png", "KOI8-R''%C1.png"],
  ['filename=token.png', 'token.png'],
  ['filename=two words.png ; size=3', 'two words.png'],
  ['filename="C:\\path\\to\\file.png"', 'C:\\path\\to\\file.png'],
  ['filename="../../etc/passwd"', '../../etc/passwd'],
  ['filename=""', ''],
  ['filename=', ''],
  ['filename="nul\0byte.png"', 'nul\0byte.png'],
  ['filename="semi;colon=x.png"', 'semi;colon=x.png'],
  ['filename="Grüße 你好 🦊.png"', 'Grüße 你好 🦊.png'],
  ['FileName = "spaced.png"', 'spaced.png'],
  ['filename="first.png"; filename="second.png"', 'first.png'],
  [`filename="${'a'.repeat(300)}.png"`, `${'a'.repeat(300)}.png`],
])('%s gives the filename %j', (parameters, filename) => {
  expect(filenameIn(parameters)).toBe(filename)
})

test('a part without a filename is a text', () => {
  expect(read('form-data; name="title"')).toEqual({ name: 'title', filename: undefined, charset: undefined })
  expect(read('Form-Data;name=title;', 'text/plain; Charset="ISO-8859-1"')).toEqual({
    name: 'title',
    filename: undefined,
    charset: 'ISO-8859-1',
  })
  expect(read('form-data; name=""')?.name).toBe('')
  expect(read('form-data; name="größe[]"')?.name).toBe('größe[]')
})

test('bytes that are not UTF-8 become replacement characters', () => {
  expect(readPartHeaders({ 'content-disposition': ['form-data; name="a"; filename="d\xe9.png"'] })?.filename).toBe(
    'd\ufffd.png',
  )
})

test.each([
  '',
  'form-data',
  'form-data; filename="x"',
  'attachment; name="a"',
  'form-data; name="a',
  'form-data; name=a"b"',
])('the disposition %j is rejected', (disposition) => {
  expect(read(disposition)).toBeUndefined()
})
test('a part without a disposition is rejected', () => {
  expect(readPartHeaders({})).toBeUndefined()
})

test('any disposition is read or rejected quickly', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(';', '"', '\\', '=', '*', "'", ' ', '%', 'a', 'name', 'filename', 'utf-8')),
      (bits) => {
        read(`form-data; name="a"; ${bits.join('')}`)
      },
    ),
  )
  expect(read(`form-data; ${'\\"'.repeat(8000)}`)).toBeUndefined()
  expect(read(`form-data; name="${'\\'.repeat(16000)}`)).toBeUndefined()
  expect(read(`form-data${' ;'.repeat(8000)}=`)).toBeUndefined()
})
