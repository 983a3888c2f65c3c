import fc from 'fast-check'

/** Texts that often cause bugs. */
const known = [
  '',
  ' ',
  '\t',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfff',
  '\ufeff',
  '\u2028',
  '\u202e',
  '\u0301'.repeat(60),
  'İ',
  'ẞ',
  'Σς',
  '👩‍👩‍👧',
  '１２',
  '٣',
  'null',
  'undefined',
  'true',
  'NaN',
  'Infinity',
  '-0',
  '1e309',
  '0x10',
  '1_000',
  '+1',
  ' 7 ',
  '0',
  '-1',
  '9007199254740991',
  '9007199254740993',
  '99999999999999999999',
  '-9223372036854775809',
  '1.5',
  "' or 1=1 --",
  '"',
  '\\',
  '%',
  '_',
  '*',
  '?',
  '"AND" OR NOT NEAR(',
  '$' + '{x}',
  '{{7*7}}',
  '<script>',
  'a,b,,c',
  ',',
  ';',
  '../../etc/passwd',
  '..\\..\\x',
  '/etc/passwd',
  '.',
  '..',
  'C:\\x',
  'a\r\nSet-Cookie: x=1',
  '%2e%2e%2f',
  '%00',
  '%zz',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'then',
  '[]',
  '{}',
  'a[b]',
  '[object Object]',
  '2026-02-30',
  '0000-01-01',
  '9999-12-31',
  '9999-12-31T23:59:59-23:59',
  '0001-01-01T00:00:00+23:59',
  'infinity',
]

const codeUnit = fc.nat(0xffff).map((code) => String.fromCharCode(code))

/** 10,000 random characters, because databases compress repeated ones. */
const longText = fc.oneof(
  fc.constantFrom('a', 'é', '😀', 'aaa ', '" ', '\\', '%', '../', '\u0301', 'a,').map((unit) => repeat(unit)),
  fc.nat(0xffff).map((seed) => noise(seed, 'abcdefghijklmnopqrstuvwxyz0123456789')),
  fc.nat(0xffff).map((seed) => noise(seed, 'abcdefghijklmnopqrstuvwxyz       ')),
  fc.nat(0xffff).map((seed) => noise(seed, 'äöüßéèñçøåþðœæ漢字かな')),
)

const longLength = 10_000

function repeat(unit: string): string {
  return unit.repeat(Math.ceil(longLength / unit.length)).slice(0, longLength)
}

/** Returns pseudo-random text that depends only on the seed, so that a failure is reproducible. */
export function noise(seed: number, letters: string, length = longLength): string {
  let state = seed + 1
  let text = ''
  while (text.length < length) {
    state = (state * 48_271) % 0x7fffffff
    text += letters.charAt(state % letters.length)
  }
  return text
}

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...known) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: codeUnit, maxLength: 20 }) },
  { weight: 1, arbitrary: longText },
)

const hostileNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 2 ** 63, -(2 ** 63), 1e308, 5e-324),
  fc.integer(),
)

const leaf = fc.oneof(hostileText, hostileNumber, fc.constantFrom(null, true, false))

/** JSON values with unusual keys. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: leaf },
  { weight: 2, arbitrary: fc.array(leaf, { maxLength: 5 }) },
  { weight: 2, arbitrary: fc.dictionary(hostileText, leaf, { maxKeys: 4, noNullPrototype: true }) },
  {
    weight: 1,
    arbitrary: fc.array(fc.dictionary(hostileText, leaf, { maxKeys: 3, noNullPrototype: true }), { maxLength: 3 }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...[10, 99, 500].map(nested),
      Array.from({ length: 5000 }, (_, n) => n),
    ),
  },
)

function nested(depth: number): unknown {
  let value: unknown = 'deep'
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}
