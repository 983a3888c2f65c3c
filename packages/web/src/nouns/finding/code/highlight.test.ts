import { describe, expect, test } from 'vitest'
import { diffLines } from './diff.ts'
import { diffTokens } from './diff-tokens.ts'
import { highlight, loadGrammars } from './highlight.ts'
import { type Language, languageOf } from './language.ts'
import { isTooLong, type TokenLine } from './tokens.ts'

const textOf = (line: TokenLine | undefined) => line?.map(({ text }) => text).join('')
const looksIn = (lines: readonly TokenLine[] | undefined) =>
  lines?.flat().flatMap(({ text, look }) => (look === undefined ? [] : [`${look}: ${text}`]))

test.each([
  ['src/app.ts', 'typescript'],
  ['src\\Main.JAVA', 'java'],
  ['lib/db.rb:12', 'ruby'],
  ['docker/Dockerfile', 'dockerfile'],
  ['Dockerfile.dev', 'dockerfile'],
  ['infra/main.tf', 'ini'],
  ['Makefile', undefined],
  ['photo.constructor', undefined],
  ['toString', undefined],
  ['', undefined],
  [undefined, undefined],
])('the language of %s is %s', (file, language) => {
  expect(languageOf(file)).toBe(language)
})

/** A line of each language with a part that its grammar must recognise. */
const samples: Record<Language, readonly [code: string, part: string]> = {
  bash: ['if true; then', 'keyword: if'],
  c: ['return 1;', 'keyword: return'],
  cpp: ['return 1;', 'keyword: return'],
  csharp: ['using System;', 'keyword: using'],
  dockerfile: ['FROM alpine:3.20', 'keyword: FROM'],
  go: ['return nil', 'keyword: return'],
  ini: ['port = 80', 'name: port'],
  java: ['return null;', 'keyword: return'],
  javascript: ['const a = 1', 'keyword: const'],
  json: ['{"a": 1}', 'number: 1'],
  kotlin: ['val a = 1', 'keyword: val'],
  php: ['return $a;', 'keyword: return'],
  python: ['return None', 'keyword: return'],
  ruby: ['return nil', 'keyword: return'],
  rust: ['let a = 1;', 'keyword: let'],
  sql: ['select 1', 'keyword: select'],
  swift: ['let a = 1', 'keyword: let'],
  typescript: ['const a: string = 1', 'keyword: const'],
  xml: ['<a b="c">', 'type: a'],
  yaml: ['port: 80', 'number: 80'],
}

test.each(Object.entries(samples))('parts of %s are recognised', async (language, [code, part]) => {
  await loadGrammars([language as Language]) // `Object.entries` loses the type of the keys
  expect(looksIn(highlight(code, language as Language))).toContain(part)
})

describe('highlighted code', () => {
  test('keeps its lines, also inside a token that covers several of them', async () => {
    await loadGrammars(['java'])
    const code = '/* one\n\n   two */\nint a = 1;\n'
    const lines = highlight(code, 'java')
    expect(lines?.map(textOf)).toEqual(code.split('\n'))
    expect(lines?.[2]?.[0]?.look).toBe('comment')
  })

  test.each(Object.keys(samples))('keeps every character of hostile text (%s)', async (name) => {
    const language = name as Language // `Object.keys` loses the type of the keys
    await loadGrammars([language])
    for (const part of [
      '(',
      '{',
      '"',
      "'",
      '<',
      '/*',
      '${',
      '`',
      'a',
      ' ',
      '\\',
      '<<',
      'a ',
      'a.',
      '((a',
      '-',
      script,
    ]) {
      const text = Array.from({ length: 3 }, () => part.repeat(490 / part.length)).join('\n')
      expect(isTooLong(text)).toBe(false)
      const lines = highlight(text, language)
      if (lines) expect(lines.map(textOf)).toEqual(text.split('\n'))
    }
  })

  test('ends where a text or its lines are long', () => {
    expect(isTooLong('a'.repeat(500))).toBe(false)
    expect(isTooLong('a'.repeat(501))).toBe(true)
    expect(isTooLong('a\n'.repeat(5001))).toBe(true)
  })
})

const script = '<img src=x onerror=alert(1)>&lt;\u0000\u202E\r</span><script>alert(1)</script>'

describe('a diff', () => {
  const text = [
    ...['diff --git a/src/db.sql b/src/db.sql', '--- a/src/db.sql', '+++ b/src/db.sql', '@@ -1,3 +1,2 @@'],
    ...[' select 1', '--- old comment', '-drop table a', '+insert into a', '@@ -9 +9 @@', '-x', '+y', ''],
  ].join('\n')

  test('tells headers from removed lines by the counts of its hunks', () => {
    expect(diffLines(text).map(({ kind }) => kind)).toEqual([
      ...['header', 'header', 'header', 'hunk', 'context', 'removed', 'removed', 'added'],
      ...['hunk', 'removed', 'added', 'context'],
    ])
    expect(diffLines(text)[5]).toMatchObject({ file: 'src/db.sql', hunk: 1 })
  })

  test('without hunks or with wrong counts is read by its signs', () => {
    const kinds = (text: string) => diffLines(text).map(({ kind }) => kind)
    expect(kinds('-a\n+b\n c')).toEqual(['removed', 'added', 'context'])
    expect(kinds('@@ -1,9 +1,9 @@\n-a\n+b')).toEqual(['hunk', 'removed', 'added'])
    expect(kinds('@@ broken\n-a')).toEqual(['hunk', 'removed'])
  })

  test('is highlighted as it was and as it will be', async () => {
    await loadGrammars(['sql'])
    const lines = diffLines(text)
    const highlighter = (code: string, file: string | undefined) => {
      const language = languageOf(file)
      return language && highlight(code, language)
    }
    const tokens = diffTokens(lines, undefined, highlighter)
    for (const [index, line] of tokens.entries()) if (line) expect(textOf(line)).toBe(lines[index]?.text)
    expect(tokens.map((line) => line && looksIn([line])?.[0])).toEqual([
      ...[undefined, undefined, undefined, undefined],
      ...['keyword: select', 'comment: -- old comment', 'keyword: drop', 'keyword: insert into'],
      ...[undefined, undefined, undefined, undefined],
    ])
    expect(diffTokens(diffLines('-a\n+b'), 'notes.txt', highlighter)).toEqual([undefined, undefined])
  })

  test('with very many hunks does not block the page', { timeout: 3000 }, () => {
    const lines = diffLines('@@ -1 +1 @@\n-a\n+b\n'.repeat(40_000))
    expect(diffTokens(lines, undefined, () => undefined)).toHaveLength(lines.length)
  })
})
