import { expect, test } from 'vitest'
import { codeSpan, escapeXml, plain, safeJson, shorten, webAddress } from './safe-text.ts'

test.each([
  ['two\nlines', 'two lines'],
  ['red \u001b[31mtext\u001b[0m', 'red  [31mtext [0m'],
  ['\u009b31m', '31m'],
  ['title\u0007', 'title'],
  ['abc\u202edcba', 'abc dcba'],
  ['##vso[task.setvariable variable=x]y', '# #vso[task.setvariable variable=x]y'],
  ['a ##[error] b', 'a # #[error] b'],
  ['##teamcity[buildProblem]', '# #teamcity[buildProblem]'],
  ['::set-output name=a::b', ': :set-output name=a::b'],
  ['lone \ud800 surrogate', 'lone \ufffd surrogate'],
  ['plain ## heading, größer: 漢字 🙂', 'plain ## heading, größer: 漢字 🙂'],
])('plain(%j) is %j', (text, line) => {
  expect(plain(text)).toBe(line)
})

test('safe JSON has the same values and no characters that a terminal or a log reads as commands', () => {
  const value = { a: '\u001b[31m\u009b\u202e', b: ['##vso[x]', '##[error]', 'two\nlines'], 'c\u0085': 'ü' }
  const text = safeJson(value)
  expect(JSON.parse(text)).toEqual(value)
  expect(text).not.toMatch(/(?!\n)\p{Cc}|[\u2028-\u202e]|##[\w-]*\[/u)
  expect(text).toContain('ü')
})

test.each([
  ['plain', '`plain`'],
  ['a `b` c', '`` a `b` c ``'],
  ['``', '``` `` ```'],
  ['a | b', '`a ¦ b`'],
  ['<img src=x onerror=alert(1)> @all', '`<img src=x onerror=alert(1)> @all`'],
  ['', ''],
])('codeSpan(%j) is %j', (text, span) => {
  expect(codeSpan(text)).toBe(span)
})

test('XML text has no markup and no characters that XML forbids', () => {
  expect(escapeXml(`]]></a>&"'<!--\u0000\ufffe`)).toBe(']]&gt;&lt;/a&gt;&amp;&quot;&apos;&lt;!--')
})

test.each([
  ['https://example.com/a', 'https://example.com/a'],
  ['https://example.com/a) [x](javascript:b', 'https://example.com/a%29%20[x]%28javascript:b'],
  ['javascript:alert(1)', undefined],
  ['data:text/html,x', undefined],
  [null, undefined],
])('the address %j becomes %j', (text, address) => {
  expect(webAddress(text)).toBe(address)
})

test('shortened text has at most the given number of characters', () => {
  expect(shorten('🙂🙂🙂', 3)).toBe('🙂🙂🙂')
  expect(shorten('🙂🙂🙂🙂', 3)).toBe('🙂🙂…')
})
