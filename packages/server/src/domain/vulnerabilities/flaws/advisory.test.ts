import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Alias, advisoriesOf, canonicalNames, compareNames, statedAliases } from './advisory.ts'

const names = ['CVE-2021-1', 'CVE-2022-2', 'GHSA-a', 'GHSA-b', 'PYSEC-1', 'GO-1', 'RUSTSEC-1', 'OSV-1']

/** An independent model: relabels names until no alias connects two labels. */
function labelsOf(aliases: readonly Alias[]): Map<string, number> {
  const labels = new Map(names.map((name, index) => [name, index]))
  const label = (name: string) => labels.get(name) ?? -1
  for (let isChanged = true; isChanged; ) {
    isChanged = false
    for (const { name, alias } of aliases) {
      const low = Math.min(label(name), label(alias))
      if (label(name) === low && label(alias) === low) continue
      labels.set(name, low)
      labels.set(alias, low)
      isChanged = true
    }
  }
  return labels
}

const alias = fc
  .tuple(fc.constantFrom(...names), fc.constantFrom(...names))
  .map(([name, other]) => ({ name, alias: other }))

describe('canonicalNames', () => {
  test('joins names exactly if aliases connect them, unless they connect two CVEs, in any order', () => {
    fc.assert(
      fc.property(
        fc
          .uniqueArray(alias, { selector: (one) => `${one.name} ${one.alias}` })
          .chain((aliases) =>
            fc.tuple(
              fc.constant(aliases),
              fc.shuffledSubarray(aliases, { minLength: aliases.length, maxLength: aliases.length }),
            ),
          ),
        ([aliases, shuffled]) => {
          const canonical = canonicalNames(aliases)
          expect(new Map([...canonicalNames(shuffled)].sort())).toEqual(new Map([...canonical].sort()))
          const labels = labelsOf(aliases)
          for (const name of names) {
            const set = names.filter((other) => labels.get(other) === labels.get(name)).sort(compareNames)
            const cves = set.filter((other) => other.startsWith('CVE-'))
            const found = canonical.get(name) ?? name
            if (cves.length < 2) expect(found).toBe(set[0])
            else if (name.startsWith('CVE-')) expect(found).toBe(name)
            else {
              const direct = aliases.flatMap((one) =>
                one.name === name ? [one.alias] : one.alias === name ? [one.name] : [],
              )
              const own = [...new Set(direct.filter((other) => other.startsWith('CVE-')))]
              expect(found).toBe(own.length === 1 ? own[0] : name)
            }
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  test('ignores sets of too many names', () => {
    const aliases = Array.from({ length: 60 }, (_, index) => ({ name: `GO-${index}`, alias: 'CVE-2020-1' }))
    expect(canonicalNames(aliases).size).toBe(0)
  })
})

test('advisories are told from rules and weaknesses', () => {
  const identifiers = [
    'CWE-79',
    'cve-2021-44228',
    'javascript-rule-1',
    'GHSA-jfh8-c2jp-5v3q',
    'openSUSE-SU-2020:1',
    'A1',
  ]
  expect(advisoriesOf(identifiers)).toEqual(['CVE-2021-44228', 'GHSA-JFH8-C2JP-5V3Q', 'OPENSUSE-SU-2020:1'])
})

test('a finding states aliases of its only CVE', () => {
  expect(statedAliases(['GHSA-a', 'CVE-2021-1', 'RHSA-2021:1', 'CWE-79'])).toEqual([
    { name: 'GHSA-A', alias: 'CVE-2021-1' },
  ])
  expect(statedAliases(['GHSA-a', 'CVE-2021-1', 'CVE-2021-2'])).toEqual([])
  expect(statedAliases(['GHSA-a', 'PYSEC-1'])).toEqual([])
})
