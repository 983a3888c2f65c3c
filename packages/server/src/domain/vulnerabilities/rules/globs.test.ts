import { describe, expect, test } from 'vitest'
import { countEvaluations, escapeGlob, globTest } from './globs.ts'

describe('a glob of paths', () => {
  test.each([
    ['src/*.js', ['src/a.js', './src/b.js', '/src/.js'], ['src/a/b.js', 'src/a.jsx', 'lib/src/a.js']],
    ['**/test/**', ['test/a', 'a/test/b', 'a/b/test/c/d'], ['test', 'contest/a', 'a/tests/b']],
    ['vendor/', ['vendor/a', 'vendor/a/b.c'], ['vendor', 'src/vendor/a']],
    ['**', ['a', 'a/b/c', ''], []],
    ['a/**/z', ['a/z', 'a/b/z', 'a/b/c/z'], ['a/bz', 'az', 'b/a/z']],
    ['file?.txt', ['file1.txt', 'fileé.txt'], ['file.txt', 'file/.txt', 'file12.txt']],
    ['/package-lock.json', ['package-lock.json'], ['web/package-lock.json']],
    ['**/*.min.*', ['x.min.js', 'a/b/x.min.css'], ['a/min.js']],
    ['a.b[c]', ['a.b[c]'], ['a.bc', 'aXb[c]']],
    ['a\\*b\\?', ['a*b?'], ['axb?', 'a*bx', 'a\\*b\\?']],
    ['a\\b', ['a\\b'], ['ab']],
    ['**/a/**/b', ['a/b', 'x/a/y/b', 'a/a/b/b'], ['a/x/c', 'ab']],
  ])('%s matches %j and not %j', (glob, inside, outside) => {
    const matches = globTest([glob], { isPath: true })
    expect(inside.filter((path) => !matches(path))).toEqual([])
    expect(outside.filter(matches)).toEqual([])
  })

  test.each(['src/[id].js', 'a*b/**/c?', 'a\\*b', 'a\\?', 'a\\b', 'folder/', './x', '/x', '**/', 'a\\/'])(
    'escaped from %s matches this path only',
    (path) => {
      const matches = globTest([escapeGlob(path)], { isPath: true })
      expect(matches(path)).toBe(true)
      expect(
        ['src/i.js', 'axb/y/cz', 'a\\xb', 'a\\y', 'ab', 'folder/x', 'y', 'z/', 'a\\/b', `${path}x`].some(matches),
      ).toBe(false)
    },
  )

  test('takes linear time for a long text with many wildcards', () => {
    const matches = globTest([`${'*a'.repeat(60)}b`, `${'**/'.repeat(60)}b`], { isPath: true })
    expect(matches('a'.repeat(1_000))).toBe(false)
    expect(matches(`${'a/'.repeat(500)}bc`)).toBe(false)
  })
})

test('a text that is too long for a path matches nothing', () => {
  const matches = globTest(['**'], { isPath: true })
  expect(['a'.repeat(1_024), 'a'.repeat(1_025)].map(matches)).toEqual([true, false])
})

test('a glob of refs has wildcards that stand for slashes, too', () => {
  const matches = globTest(['release/*', 'main'], { isPath: false })
  expect(['release/1', 'release/1/fix', 'main'].every(matches)).toBe(true)
  expect(['releases/1', 'main2', '/main'].some(matches)).toBe(false)
})

describe('a glob is not evaluated', () => {
  const evaluationsOf = (work: () => void) => {
    const before = countEvaluations()
    work()
    return countEvaluations() - before
  }
  const kind = { isPath: true }

  test.each([
    ['without wildcards', ['src/a.js', 'src/\\*.js']],
    ['with another beginning', ['lib/*.js', 'srcs/**']],
    ['with another end', ['src/*.ts', '**/b.js']],
    ['with parts that the path does not have', ['**/test/**', 's*c/x*.js']],
  ])('%s', (_, globs) => {
    const matches = globTest(globs, kind)
    expect(evaluationsOf(() => expect(matches('src/a.jsx') || matches('src/a.js')).toBe(globs[0] === 'src/a.js'))).toBe(
      0,
    )
  })

  test('again for a path that was tested before', () => {
    const matches = globTest(['**/*.js', 's?c/*'], kind)
    expect(evaluationsOf(() => expect(matches('src/a.js')).toBe(true))).toBe(1)
    expect(evaluationsOf(() => expect(matches('./src/a.js')).toBe(true))).toBe(0)
    expect(evaluationsOf(() => expect(matches('src/b.ts')).toBe(true))).toBe(1)
  })
})
