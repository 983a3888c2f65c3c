import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { versionTest } from '../../rules/version-range.ts'
import { InvalidProjectFile } from '../project-file.ts'
import { parseGrypeYaml } from './grype-yaml.ts'
import { onlyVersion, type ParsedRules } from './ignored.ts'
import { parseOsvScannerToml } from './osv-scanner-toml.ts'
import { parseSnyk } from './snyk-yaml.ts'
import { parseTrivyIgnore, parseTrivyIgnoreYaml } from './trivy-ignore.ts'

const brief = ({ rules }: ParsedRules) => rules.map(({ match, action }) => [match, action.dismiss])
const lines = (...all: string[]) => all.join('\n')

const parsers = {
  '.trivyignore': parseTrivyIgnore,
  '.trivyignore.yaml': parseTrivyIgnoreYaml,
  '.grype.yaml': parseGrypeYaml,
  '.snyk': parseSnyk,
  'osv-scanner.toml': parseOsvScannerToml,
}

describe('.trivyignore', () => {
  test('has one rule for the identifiers with the same last day', () => {
    const parsed = parseTrivyIgnore(
      lines('# accepted', 'CVE-2099-0001', 'AVD-AWS-0001 # why', '', 'CVE-2099-0002 exp:2030-01-31', 'CVE-2099-0001'),
    )
    expect(brief(parsed)).toEqual([
      [{ identifiers: ['CVE-2099-0001', 'AVD-AWS-0001'], scanners: ['trivy'] }, {}],
      [{ identifiers: ['CVE-2099-0002'], scanners: ['trivy'] }, { until: '2030-01-31' }],
    ])
    expect(parsed.rules.map(({ name }) => name)).toEqual([
      '.trivyignore, line 2: 2 identifiers',
      '.trivyignore, line 5: CVE-2099-0002',
    ])
  })
})

describe('.trivyignore.yaml', () => {
  test('has rules for identifiers, paths and packages of each kind of finding', () => {
    const parsed = parseTrivyIgnoreYaml(
      lines(
        ...['vulnerabilities:', '  - id: CVE-2099-0001', '    paths: ["usr/bin/*"]', '    statement: Not reachable'],
        ...['    expired_at: 2030-01-31', '  - id: CVE-2099-0002', '    purls:', '      - pkg:npm/%40acme/a@1.2.3'],
        ...[
          '      - pkg:deb/debian/bash',
          '      - pkg:deb/debian/bash@5.2-1?arch=amd64',
          'secrets:',
          '  - id: aws-key',
        ],
        ...['misconfigurations:', '  - id: AVD-1', '    paths: ["a/{b,c}.tf"]', '  - id: AVD-2', '    namespaces: [x]'],
        ...['licenses:', '  - id: GPL-3.0'],
      ),
    )
    const vulnerabilities = ['container_scanning', 'dependency_scanning']
    const of = { scanners: ['trivy'], reportTypes: vulnerabilities }
    expect(brief(parsed)).toEqual([
      [
        { identifiers: ['CVE-2099-0001'], ...of, paths: ['usr/bin/*'] },
        { comment: 'Not reachable', until: '2030-01-31' },
      ],
      [
        { identifiers: ['CVE-2099-0002'], ...of, packages: ['pkg:npm/%40acme/a'], versionRange: 'vers:generic/1.2.3' },
        {},
      ],
      [{ identifiers: ['CVE-2099-0002'], ...of, packages: ['pkg:deb/debian/bash'] }, {}],
      [{ identifiers: ['aws-key'], scanners: ['trivy'], reportTypes: ['secret_detection'] }, {}],
    ])
    expect(parsed.warnings.map(({ line, message }) => [line, message.slice(0, 40)])).toEqual([
      [6, 'CVE-2099-0002: pkg:deb/debian/bash@5.2-1'],
      [14, 'AVD-1: paths with [], {}, ! or \\ are not'],
      [16, 'AVD-2: namespaces is not supported, so t'],
      [19, 'licenses are no findings here, so these '],
    ])
  })
})

describe('.grype.yaml', () => {
  test('has rules for what a rule can express, and warnings for the rest', () => {
    const parsed = parseGrypeYaml(
      lines(
        ...[
          'only-fixed: true',
          'ignore:',
          '  - vulnerability: CVE-2099-0001',
          '    reason: accepted',
          '    fix-state: fixed',
        ],
        ...['    package:', '      name: libc', '      version: 1.2.3', '      location: /usr/lib/**'],
        ...['  - vulnerability: CVE-2099-0002', '    fix-state: wont-fix', '  - vex-status: not_affected'],
        ...['  - package:', '      type: gem', '  - package:', '      name: linux(-.*)?-headers', '  - {}'],
      ),
    )
    expect(brief(parsed)).toEqual([
      [
        {
          ...{ identifiers: ['CVE-2099-0001'], hasFix: true, packages: ['libc'], versionRange: 'vers:generic/1.2.3' },
          ...{ paths: ['/usr/lib/**'], scanners: ['grype'] },
        },
        { comment: 'accepted' },
      ],
    ])
    expect(parsed.warnings.map(({ line }) => line)).toEqual([10, 12, 13, 15, 17])
  })
})

describe('.snyk', () => {
  test('has rules for the path *, with reason and end', () => {
    const parsed = parseSnyk(
      lines(
        ...['version: v1.25.0', 'ignore:', '  SNYK-JS-A-1:', "    - '*':", '        reason: None in use'],
        ...[
          '        expires: 2030-01-31T10:00:00.000Z',
          '  SNYK-JS-B-2:',
          "    - 'a > b':",
          '        reason: x',
          'patch: {}',
        ],
      ),
    )
    expect(brief(parsed)).toEqual([
      [
        { identifiers: ['SNYK-JS-A-1'], scanners: ['snyk'] },
        { comment: 'None in use', until: '2030-01-31' },
      ],
    ])
    expect(parsed.warnings).toMatchObject([{ line: 8 }])
  })
})

describe('osv-scanner.toml', () => {
  test('has rules for identifiers and packages', () => {
    const parsed = parseOsvScannerToml(
      lines(
        ...['[[IgnoredVulns]]', 'id = "GO-2099-1"', 'ignoreUntil = 2030-01-31', 'reason = "no server"', ''],
        ...['[[PackageOverrides]]', 'name = "@acme/a"', 'ecosystem = "npm"', 'version = "1.2"', 'ignore = true', ''],
        ...['[[PackageOverrides]]', 'ecosystem = "Go"', 'vulnerability.ignore = true', ''],
        ...['[[PackageOverrides]]', 'name = "x"', 'license.override = ["MIT"]'],
        ...['[[PackageOverrides]]', 'name = "org:x"', 'ecosystem = "Maven"', 'vulnerability.ignore = true'],
      ),
    )
    expect(brief(parsed)).toEqual([
      [
        { identifiers: ['GO-2099-1'], scanners: ['osv-scanner'] },
        { comment: 'no server', until: '2030-01-31' },
      ],
      [{ packages: ['pkg:npm/%40acme/a'], scanners: ['osv-scanner'], versionRange: 'vers:generic/1.2' }, {}],
      [{ packages: ['pkg:maven/org/x'], scanners: ['osv-scanner'] }, {}],
    ])
    expect(parsed.warnings).toMatchObject([{ line: 12 }, { line: 16 }])
  })
})

test('a version is no range of versions', () => {
  const range = onlyVersion('1.2') ?? ''
  expect(['1.2', '1.2.0', '1.2.5', '1.3'].map(versionTest(range))).toEqual([true, true, false, false])
  expect(['5.2-1+deb12u1', '1:2.3', '>=1', '1.2|2', '*', 'x'].map(onlyVersion)).toEqual(Array(6).fill(undefined))
})

test.for([
  ['.trivyignore', 'CVE-1\nCVE-2 exp:soon', 2, 'exp is not a date'],
  ['.trivyignore', 'CVE-1 exp:2030-02-31', 1, 'exp is not a date'],
  ['.trivyignore', 'CVE-1 CVE-2', 1, 'CVE-2 is not exp:'],
  ['.trivyignore.yaml', 'vulnerabilities:\n  - paths: [a]', 2, 'no id'],
  ['.trivyignore.yaml', 'vulnerabilities:\n  - id: a\n    expired_at: never', 2, 'expired_at is not a date'],
  ['.trivyignore.yaml', 'other: []', 1, 'other is not known'],
  ['.trivyignore.yaml', 'vulnerabilities: &a\n  - id: x\nsecrets: *a', 1, 'alias'],
  ['.grype.yaml', 'a: 1\nignore:\n  - x', 3, 'must be a mapping'],
  ['.grype.yaml', 'a: [', 1, ''],
  ['.snyk', 'ignore:\n  A:\n    - "*":\n        expires: 2030', 3, 'expires is not a date'],
  ['.snyk', '- a', 1, 'must be a mapping'],
  ['osv-scanner.toml', '[[IgnoredVulns]]\nreason = "x"', 1, 'no id'],
  ['osv-scanner.toml', 'a = 1\nb = = 2', 2, ''],
  ['osv-scanner.toml', `a = ${'['.repeat(60)}`, 1, 'nested too deep'],
  ['.snyk', `ignore: ${'['.repeat(10_000)}`, 1, 'nested too deep'],
  [
    '.trivyignore',
    Array.from({ length: 200 }, (_, day) => `CVE-1 exp:${new Date(day * 86_400_000).toISOString().slice(0, 10)}`).join(
      '\n',
    ),
    101,
    'more than 100 rules',
  ],
] as const)('%s is refused with its line: %#', ([name, text, line, message]) => {
  const parse = () => parsers[name](text)
  expect(parse).toThrow(InvalidProjectFile)
  expect(parse).toThrow(expect.objectContaining({ line, message: expect.stringMatching(new RegExp(message, 'i')) }))
})

describe('random text', () => {
  const piece = fc.constantFrom(
    ...[
      'ignore:',
      'vulnerabilities:',
      '- ',
      'id: ',
      'CVE-1',
      'exp:',
      '2030-01-31',
      '\n',
      '  ',
      '    ',
      '#',
      '{',
      '}',
      '[',
      ']',
    ],
    ...[
      '[[IgnoredVulns]]',
      '[[PackageOverrides]]',
      'name = ',
      '"',
      "'",
      '*',
      '&a ',
      '*a',
      ': ',
      'purls:',
      '!!',
      '|',
      '>',
      '=',
      '.',
    ],
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 60 }).map((all) => all.join('')),
  )

  test.for(Object.entries(parsers))('is read or refused as %s', ([, parse]) => {
    fc.assert(
      fc.property(text, (content) => {
        try {
          for (const { match } of parse(content).rules) expect(Object.keys(match).length).toBeGreaterThan(1)
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidProjectFile)
        }
      }),
      { numRuns: 300 },
    )
  })

  test.for(Object.entries(parsers))('that is long takes time in proportion to its length as %s', ([name, parse]) => {
    const samples = ['a', '- ', '[', '#', '"', '\n', 'a: ', '&a ', 'a.', '[[a]]\n', 'x = 1\n', '- a\n', '? ', '| ']
    for (const sample of samples) {
      const started = performance.now()
      try {
        parse(sample.repeat(Math.floor((60 * 1024) / sample.length)))
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidProjectFile)
      }
      expect([name, sample, performance.now() - started < 10_000]).toEqual([name, sample, true])
    }
  })
})
