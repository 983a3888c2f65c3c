import { describe, expect, test } from 'vitest'
import { isVersionRange, versionTest } from './version-range.ts'

describe('a range of versions', () => {
  test.each([
    [
      '>=2.0 <2.17.1',
      ['2.0', '2.14.1', '2.17', '2.17.1-rc1', '2.17.0.5'],
      ['1.9', '2.17.1', '2.17.1.1', '2.0.0-beta9'],
    ],
    ['>= 2.0 < 3', ['2.5'], ['3']],
    ['^1.4.2', ['1.4.2', '1.9'], ['1.4.1', '2.0.0', '2.0.0-rc.1']],
    ['^0.3', ['0.3.9'], ['0.4.0', '0.2']],
    ['~1.4.2', ['1.4.9'], ['1.5.0', '1.4.1']],
    ['1.2.x', ['1.2.0', '1.2.77'], ['1.3.0', '1.3.0-alpha']],
    ['1.0 - 2.0', ['1.0', '2.0.0'], ['2.0.1']],
    ['2.14.1 || 2.15', ['2.14.1', 'v2.15.0', '2.15+build.5'], ['2.14.2']],
    ['*', ['0.0.1'], ['latest']],
    ['!=1.5', ['1.4'], ['1.5.0']],
    ['vers:maven/>=2.0|<2.3.1|>=2.4|<2.12.2', ['2.3', '2.11'], ['2.3.1', '2.3.5', '2.12.2', '1']],
    ['vers:npm/1.0|2.0', ['1.0.0', '2.0'], ['1.5']],
    ['vers:pypi/>=1.0|!=1.5|<2.0', ['1.4'], ['1.5', '2.0']],
    ['vers:npm/*', ['1.0'], []],
    // Unknown versions are in no range, as are those with a revision of a distribution or an unknown qualifier.
    [
      '<99',
      ['1rc1', '1.0.0-SNAPSHOT'],
      ['', '1.2.3-4', '7.74.0-1.3+deb11u7', '31.1-jre', '1.0.Final', '1:2.0', 'main'],
    ],
    ['>=1.0-alpha.2 <1.0', ['1.0-alpha.2', '1.0-alpha.10', '1.0-beta'], ['1.0-alpha.1', '1.0']],
  ])('%s contains %j and not %j', (range, inside, outside) => {
    const contains = versionTest(range)
    expect(inside.filter((version) => !contains(version))).toEqual([])
    expect(outside.filter(contains)).toEqual([])
  })

  test.each([
    '',
    'latest',
    '>=',
    '>=1 <',
    '1.x.2',
    '1.0 -',
    '|| 1',
    'vers:npm',
    'vers:npm/',
    'vers:npm/>=1|<',
    '>'.repeat(2_000),
  ])('is not %j', (text) => {
    expect(isVersionRange(text)).toBe(false)
    expect(versionTest(text)('1.0')).toBe(false)
  })
})
