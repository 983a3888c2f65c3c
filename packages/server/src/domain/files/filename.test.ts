import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { extensionOf, sanitizeFilename } from './filename.ts'

test.each([
  ['floor plan.png', 'floor_plan.png'],
  ['my plan (v2).png', 'my_plan__v2_.png'],
  ['../../etc/passwd', 'passwd'],
  ['Grüße.txt', 'Grüße.txt'],
  ['', 'unnamed'],
  ['.', '_.'],
  ['..', '_..'],
  ['a/..', '_..'],
  ['folder/', 'folder'],
  ['//', '_'],
  ['a[b]#%&"\'@c.png', 'a_b_______c.png'],
  ['🦊🦊.gif', '__.gif'],
  ['half \ud800 pair.txt', 'half___pair.txt'],
  ['a+b-c_d.e', 'a+b-c_d.e'],
  ['٣‿ʷ.txt', '٣‿ʷ.txt'],
])('%j is stored as %j', (name, stored) => {
  expect(sanitizeFilename(name)).toBe(stored)
})

const names = new URL('../../../../../../shared/data/attachments/names.json', import.meta.url)
test.runIf(existsSync(names))('every hostile filename of the test data is made harmless', () => {
  const given = JSON.parse(readFileSync(names, 'utf8')) as { name: string }[]
  const stored = Object.fromEntries(given.map(({ name }) => [name, sanitizeFilename(name)]))
  expect(stored).toMatchObject({
    'quote"inside.png': 'quote_inside.png',
    'semi;colon=x.png': 'semi_colon_x.png',
    '..\\..\\windows\\win.ini': 'win.ini',
    'C:\\Users\\x\\y.png': 'y.png',
    'nul\0byte.png': 'nul_byte.png',
    'cr\r\nSet-Cookie: x=1.png': 'cr__Set-Cookie__x_1.png',
    'café.png': 'café.png',
    'cafe\u0301.png': 'cafe\u0301.png',
    '你好.txt': '你好.txt',
    'photo\u202egnp.exe': 'photo_gnp.exe',
    'zero\u200bwidth.png': 'zero_width.png',
    '.htaccess': '.htaccess',
    'trailing ': 'trailing_',
    '%2e%2e%2fetc%2fpasswd': '_2e_2e_2fetc_2fpasswd',
    '<img src=x onerror=alert(1)>.png': '_img_src_x_onerror_alert_1__.png',
    '](javascript:alert(1)).png': '__javascript_alert_1__.png',
    '![x](http://a.example).png': 'a.example_.png',
    '`code`*bold*_it_.png': '_code__bold__it_.png',
  })
  for (const name of Object.values(stored)) expectHarmless(name)
})

test('sanitizing any text gives one harmless filename, and is idempotent', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.string({ maxLength: 400 })), (name) => {
      const stored = sanitizeFilename(name)
      expectHarmless(stored)
      expect(sanitizeFilename(stored)).toBe(stored)
    }),
  )
})

test('a filename that is too long is shortened in the middle, at whole characters, and keeps its extension', () => {
  expect(sanitizeFilename(`${'a'.repeat(251)}.png`)).toBe(`${'a'.repeat(251)}.png`)
  expect(sanitizeFilename(`${'a'.repeat(300)}.png`)).toBe(`${'a'.repeat(251)}.png`)
  expect(sanitizeFilename(`${'é'.repeat(200)}.png`)).toBe(`${'é'.repeat(125)}.png`)
  expect(sanitizeFilename(`x${'𝒜'.repeat(200)}`)).toBe(`x${'𝒜'.repeat(63)}`)
  expect(sanitizeFilename(`a.${'b'.repeat(300)}`)).toBe(`a.${'b'.repeat(253)}`)
})

test.each([
  ['a.tar.gz', '.gz'],
  ['README', ''],
  ['.png', ''],
  ['..png', ''],
  ['.a.png', '.png'],
  ['a.', '.'],
  ['', ''],
])('the extension of %j is %j', (filename, extension) => {
  expect(extensionOf(filename)).toBe(extension)
})

function expectHarmless(name: string): void {
  expect(name).toMatch(/^[\p{L}\p{M}\p{Nd}\p{Pc}.+-]+$/u)
  expect(name).not.toMatch(/^\.*$/)
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
}
