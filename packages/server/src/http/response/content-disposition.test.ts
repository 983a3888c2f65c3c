import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attachment, inline } from './content-disposition.ts'

test.each([
  ['floor_plan.png', 'floor_plan.png', 'floor_plan.png'],
  ['Grüße.txt', 'Grusse.txt', 'Gr%C3%BC%C3%9Fe.txt'],
  ['ü x.txt', 'u x.txt', '%C3%BC%20x.txt'],
  ['cafe\u0301.png', 'cafe.png', 'cafe%CC%81.png'],
  ['你好.txt', '??.txt', '%E4%BD%A0%E5%A5%BD.txt'],
  ['🦊.gif', '?.gif', '%F0%9F%A6%8A.gif'],
  ['a"b\\c.png', 'a\\"b\\\\c.png', 'a%22b%5Cc.png'],
  ["it's (1)*%;.txt", "it's (1)*%;.txt", 'it%27s%20%281%29%2A%25%3B.txt'],
  ["''", "''", '%27%27'],
  ['a\r\nSet-Cookie: x', 'a__Set-Cookie: x', 'a%0D%0ASet-Cookie%3A%20x'],
])('%j is encoded as %j and %j', (filename, plain, encoded) => {
  expect(attachment(filename)).toBe(`attachment; filename="${plain}"; filename*=UTF-8''${encoded}`)
  expect(inline(filename)).toBe(`inline; filename="${plain}"; filename*=UTF-8''${encoded}`)
})

test('any filename gives a header of printable ASCII that can be decoded', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (filename) => {
      const header = attachment(filename)
      expect(header).toMatch(/^[ -~]*$/)
      expect(decodeURIComponent(header.split("UTF-8''").at(-1) ?? '')).toBe(filename)
    }),
  )
})
