import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidProjectFile } from '../project-file.ts'
import { ownersOf, parseCodeowners, rulesFor, syntaxOf } from './parse-codeowners.ts'
import { compilePattern, type Syntax, segmentsOf } from './path-pattern.ts'

const matches = (pattern: string, path: string, syntax: Syntax = 'gitlab') =>
  compilePattern(pattern, syntax)(segmentsOf(path) ?? [])
const owners = (text: string, path: string, syntax: Syntax = 'gitlab') =>
  rulesFor(parseCodeowners(text, syntax), path).flatMap((rule) => rule.owners)

describe('a pattern', () => {
  test.for([
    ['*', 'a/b/c.ts', true, true],
    ['*.ts', 'a/b/c.ts', true, true],
    ['*.ts', 'a/b/c.tsx', false, false],
    ['README.md', 'docs/README.md', true, true],
    ['/README.md', 'docs/README.md', false, false],
    ['/README.md', './README.md', true, true],
    ['/docs/', 'docs/a/b.md', true, true],
    ['/docs/', 'src/docs/b.md', false, false],
    ['docs/', 'src/docs/b.md', true, true],
    ['/docs', 'docs/a.md', false, true],
    ['docs', 'docs/a.md', false, true],
    ['/docs/*', 'docs/a.md', true, true],
    ['/docs/*', 'docs/a/b.md', false, false],
    ['docs/*', 'src/docs/a.md', true, false],
    ['/docs/**/*.md', 'docs/a.md', true, true],
    ['/docs/**/*.md', 'docs/a/b/c.md', true, true],
    ['/docs/**', 'docs/a/b/c.md', true, true],
    ['/**/api/**/x', 'a/api/b/api/x', true, true],
    ['/src/a?.ts', 'src/ab.ts', true, true],
    ['/src/a?.ts', 'src/a/.ts', false, false],
    ['/src/[a-c]x', 'src/bx', true, true],
    ['/src/[!a-c]x', 'src/bx', false, false],
    ['/src/[x', 'src/[x', true, true],
    ['path\\ with\\ spaces/', 'path with spaces/x', true, true],
    ['\\#odd', 'a/#odd', true, true],
    ['\\*', 'a/b', false, false],
    ['*a*a*b', 'xaxaxaab', true, true],
    ['/', 'a/b', true, true],
  ] as const)('%s and the path %s', ([pattern, path, onGitlab, onGithub]) => {
    expect([matches(pattern, path), matches(pattern, path, 'github')]).toEqual([onGitlab, onGithub])
  })
})

describe('a file', () => {
  test('gives each path the owners of the last line that matches', () => {
    const text = '* @all\n*.ts @one @two # comment @three\n/src/gen/ # no owner\n'
    expect(owners(text, 'a.md')).toEqual(['@all'])
    expect(owners(text, 'src/a.ts')).toEqual(['@one', '@two'])
    expect(owners(text, 'src/gen/a.ts')).toEqual([])
  })

  test('has sections, optional or not, with default owners; equal names are one section', () => {
    const text = [
      '* @all',
      '[Docs][2] @writer',
      '*.md',
      '/api.md @api',
      '^[Back end]',
      '/src/ @back mail@example.com',
      '[docs] @second',
      '/new.md',
    ].join('\n')
    expect(owners(text, 'a.md')).toEqual(['@all', '@writer'])
    expect(owners(text, 'api.md')).toEqual(['@all', '@api'])
    expect(owners(text, 'new.md')).toEqual(['@all', '@second'])
    expect(owners(text, 'src/a.ts')).toEqual(['@all', '@back', 'mail@example.com'])
    expect([...ownersOf(parseCodeowners(text, 'gitlab'))]).toEqual([
      ['@all', 1],
      ['@writer', 3],
      ['@api', 4],
      ['@back', 6],
      ['mail@example.com', 6],
      ['@second', 8],
    ])
  })

  test('excludes paths from a section, also from later lines of it', () => {
    const text = '* @all\n!/vendor/\n/vendor/own/ @own\n[Ruby]\n*.rb @ruby\n'
    expect(owners(text, 'vendor/own/a.rb')).toEqual(['@ruby'])
    expect(owners(text, 'a.rb')).toEqual(['@all', '@ruby'])
  })

  test('keeps escaped spaces and number signs of patterns', () => {
    expect(owners('my\\ folder/ @one\n\\#odd @two', 'my folder/x')).toEqual(['@one'])
    expect(owners('my\\ folder/ @one\n\\#odd @two', '#odd')).toEqual(['@two'])
  })

  test('warns about groups, roles, other words and the exclusions of GitHub', () => {
    const text = '* @acme/team @@developer plain @fine\n!x @a'
    expect(parseCodeowners(text, 'gitlab').warnings).toEqual([
      { line: 1, message: '@acme/team is a group or team; only users are assigned' },
      { line: 1, message: '@@developer is a role; only users are assigned' },
      { line: 1, message: 'plain is neither a user nor an e-mail address' },
    ])
    expect(parseCodeowners(text, 'github').warnings.at(-1)).toEqual({
      line: 2,
      message: 'GitHub has no exclusions with !',
    })
    expect(owners(text, 'a', 'github')).toEqual(['@fine'])
    expect([syntaxOf('.github/CODEOWNERS'), syntaxOf('CODEOWNERS'), syntaxOf('docs/CODEOWNERS')]).toEqual([
      'github',
      'gitlab',
      'gitlab',
    ])
  })

  test.for([
    ['a @b\n[Docs @c', 2, 'no closing bracket'],
    ['[ ] @c', 1, 'no name'],
    ['[Docs][2 @c', 1, 'number of approvals'],
    [`a\n\n${'x'.repeat(5000)} @c`, 3, 'longer than 4096'],
    ['x @a\n'.repeat(5001), 5001, 'more than 5000 patterns'],
    [Array.from({ length: 1001 }, (_, index) => `x @user${index}`).join('\n'), 1001, 'more than 1000 owners'],
  ] as const)('%# is refused with its line', ([text, line, message]) => {
    const parse = () => parseCodeowners(text, 'gitlab')
    expect(parse).toThrow(InvalidProjectFile)
    expect(parse).toThrow(expect.objectContaining({ line, message: expect.stringContaining(message) }))
  })

  test('of random text is read or refused, and matched', () => {
    const piece = fc.constantFrom(
      '*',
      '**',
      '/',
      '\\',
      ' ',
      '#',
      '!',
      '[',
      ']',
      '^[',
      '@',
      '@@',
      'a',
      '\n',
      '\t',
      '?',
      '-',
      'é',
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 80 }).map((all) => all.join('')),
    )
    fc.assert(
      fc.property(
        text,
        fc.array(piece).map((all) => all.join('')),
        fc.constantFrom('gitlab', 'github'),
        (content, path, syntax) => {
          try {
            rulesFor(parseCodeowners(content, syntax), path)
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidProjectFile)
          }
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('with many long patterns is matched quickly, and not at all for a path that is too long', () => {
    const pattern = `*${'a'.repeat(100)}b`
    const codeowners = parseCodeowners(`${'* @root\n'}${`${pattern} @root\n`.repeat(4_990)}`, 'gitlab')
    const started = performance.now()
    expect(rulesFor(codeowners, 'a'.repeat(255))).toMatchObject([{ line: 1 }])
    expect(rulesFor(codeowners, `${'x'.repeat(10)}${'a'.repeat(100)}b`)).toMatchObject([{ line: 4_991 }])
    for (const path of ['a'.repeat(256), 'a/'.repeat(101), 'aaa/'.repeat(300)]) {
      expect(rulesFor(codeowners, path)).toEqual([])
    }
    expect(performance.now() - started).toBeLessThan(4_000)
  })

  test('is matched in time proportional to pattern and path', () => {
    const pattern = compilePattern(`/${'**/a*'.repeat(200)}b`, 'gitlab')
    const path = Array.from({ length: 2000 }, () => 'aaaa')
    const started = performance.now()
    expect(pattern(path)).toBe(false)
    expect(matches(`${'*a'.repeat(1000)}b`, 'a'.repeat(255))).toBe(false)
    expect(performance.now() - started).toBeLessThan(5000)
  })
})
