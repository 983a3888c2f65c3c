import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codeSpan, escapeXml, plain, safeJson } from '../safe-text.ts'
import { listedFinding, uploadResult } from '../testing/results.ts'
import { type Element, parseXml } from '../testing/xml.ts'
import { formatNames } from './format-names.ts'
import { writeResult } from './formats.ts'

/** Fragments of the syntaxes that text could break out of. */
const fragments = [
  ...[
    '`',
    '``',
    '\\',
    '|',
    '[',
    '](',
    ')',
    '<',
    '>',
    '&',
    '"',
    "'",
    ']]>',
    '<!--',
    '-->',
    '&amp;',
    '#',
    '##',
    '##vso[',
    '##[',
  ],
  ...[
    '::',
    '::error::',
    ':',
    ',',
    '%',
    '%0A',
    '\n',
    '\r\n',
    '\u001b[31m',
    '\u009b',
    '\u2028',
    '\u202e',
    '\ud800',
    '\udc00',
  ],
  ...['\ufffe', '\0', '@all', '/close', ' ', '*', '_', 'a', 'ü', '🙂', '=', '{{', '${{', '\t'],
]
const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...fragments), fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 12 })
  .map((parts) => parts.join(''))

test('plain text is one line without control characters, directions and log commands', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(plain(text)).not.toMatch(/\p{Cc}|[\u2028-\u202e\u2066-\u2069]|##[\w-]*\[|^::/u)
      expect(plain(text).isWellFormed()).toBe(true)
      expect(plain(plain(text))).toBe(plain(text))
    }),
  )
})

test('safe JSON is parsed to the same values', () => {
  fc.assert(
    fc.property(fc.dictionary(hostileText, hostileText), (value) => {
      const text = safeJson(value)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(text).not.toMatch(/(?!\n)\p{Cc}|[\u2028-\u202e]|##[\w-]*\[/u)
    }),
  )
})

test('a code span ends at its own fence and nowhere before', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const span = codeSpan(text)
      const fence = /^`*/.exec(span)?.[0] ?? ''
      const inner = span.slice(fence.length, span.length - fence.length)
      expect(inner.match(/`+/g) ?? []).not.toContain(fence)
      expect(span === '' || (span.endsWith(fence) && !inner.startsWith('`') && !inner.endsWith('`'))).toBe(true)
    }),
  )
})

test('XML text is parsed to the plain text', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(parseXml(`<a b="${escapeXml(text)}"/>`).attributes).toEqual({ b: plain(text) })
    }),
  )
})

test('every format keeps its structure, whatever names, places and identifiers contain', () => {
  const finding = fc.record({
    name: hostileText,
    file: hostileText,
    type: hostileText,
    rule: hostileText,
    url: hostileText,
  })
  fc.assert(
    fc.property(fc.array(finding, { minLength: 1, maxLength: 3 }), (rows) => {
      const findings = rows.map(({ name, file, type, rule, url }, index) =>
        listedFinding({
          uuid: `u${index}`,
          name,
          report_type: type,
          location: { file, start_line: index + 1 },
          web_url: url,
          identifiers: [{ external_type: type, external_id: rule, name: rule, url }],
        }),
      )
      const result = uploadResult({ new: findings, fixed: findings })
      const written = Object.fromEntries(
        formatNames.map((format) => [format, writeResult(format, result, { isColoured: false })]),
      )
      for (const text of Object.values(written)) expect(text).not.toMatch(/(?!\n)\p{Cc}|[\u2028-\u202e]|##[\w-]*\[/u)
      for (const format of ['json', 'codequality', 'sarif'])
        expect(() => JSON.parse(written[format] ?? '')).not.toThrow()
      const count = (element: Element): number => element.children.reduce((sum, child) => sum + count(child), 1)
      // The suites, the suite, and a case with its failure for each finding.
      expect(count(parseXml(written['junit'] ?? ''))).toBe(2 + 2 * rows.length)
      expect(written['annotations']?.trimEnd().split('\n')).toHaveLength(rows.length)
      expect(written['annotations']).toMatch(/^(::error (?:\w+=[^,:\n]*,?)*::[^\n]*\n)*$/)
      expect(written['markdown']?.match(/^- /gm)).toHaveLength(2 * rows.length)
    }),
  )
})
