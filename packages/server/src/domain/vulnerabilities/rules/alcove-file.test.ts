import { describe, expect, test } from 'vitest'
import { parseAlcoveFile } from './alcove-file.ts'

const now = '2026-03-01T10:00:00.000Z'
const head = 'version: 1\nrules:\n'

describe('alcove.yml', () => {
  test('has rules with the names of the API', () => {
    const parsed = parseAlcoveFile(
      `# Exceptions of the team
version: 1
rules:
  - name: Test code
    match:
      path: [test/**, "**/fixtures/**"]
      severity: low
    action:
      dismiss:
        reason: used_in_tests
        until: 2027-06-30
  - name: Old Log4j
    enabled: false
    match: { package: "pkg:maven/org.apache.logging.log4j/log4j-core", version_range: "<2.17.1", kev: true }
    action: { severity: critical, assignee: nadia, due_in_days: 3 }
`,
      now,
    )
    expect(parsed).toEqual({
      rules: [
        {
          line: 4,
          rule: {
            ...{ name: 'Test code', isEnabled: true, assignee: undefined },
            match: { paths: ['test/**', '**/fixtures/**'], severities: ['low'] },
            action: { dismiss: { reason: 'used_in_tests', until: '2027-06-30' } },
          },
        },
        {
          line: 12,
          rule: {
            ...{ name: 'Old Log4j', isEnabled: false, assignee: 'nadia' },
            match: {
              ...{ packages: ['pkg:maven/org.apache.logging.log4j/log4j-core'], versionRange: '<2.17.1', isKev: true },
            },
            action: { severity: 'critical', dueInDays: 3 },
          },
        },
      ],
    })
  })

  test('may keep a rule whose end has passed, and one that only assigns', () => {
    const ended = '  - { name: a, match: { path: a }, action: { dismiss: { until: 2020-01-01 } } }\n'
    const assigns = '  - { name: b, match: { path: a }, action: { assignee: nadia } }\n'
    expect(parseAlcoveFile(head + ended + assigns, now)).toMatchObject({ rules: [{ line: 3 }, { line: 4 }] })
    expect(parseAlcoveFile('version: 1\nrules: []\n', now)).toEqual({ rules: [] })
  })

  test.each([
    ['', 1, 'version and rules'],
    ['- a', 1, 'version and rules'],
    ['version: 2\nrules: []', 1, 'version must be 1'],
    ['version: 1', 1, 'rules must be a list'],
    ['version: 1\nrules: []\nextra: 1', 3, 'extra is not known'],
    [
      `${head}  - name: a\n    match: { path: a }\n    action: { dismis: {} }`,
      5,
      'rules[0].action.dismis is not known',
    ],
    [
      `${head}  - name: a\n    match:\n      path: a\n      severity: huge\n    action: { severity: low }`,
      6,
      'must be one of',
    ],
    [`${head}  - name: a\n    match: {}\n    action: { severity: low }`, 3, 'match: needs at least one condition'],
    [`${head}  - match: { path: a }\n    action: { severity: low }`, 3, 'rules[0].name is missing'],
    [`${head}  - name: a\n    match: { version_range: new }\n    action: { severity: low }`, 3, 'version_range'],
    [`${head}  - name: "a\n`, 4, ''],
    ['version: 1\nversion: 1\nrules: []', 2, 'unique'],
    ['version: &a 1\nrules: [*a]', 1, 'aliases'],
    ['['.repeat(100), 1, 'nested'],
    [`${head}${'#'.repeat(300_000)}`, 1, 'larger than'],
    [head + '  - { name: a, match: { path: a }, action: { hold: true } }\n'.repeat(501), 503, 'more than 500 rules'],
  ])('reports the line of a problem in %j', (text, line, message) => {
    const parsed = parseAlcoveFile(text, now)
    expect(parsed).toHaveProperty('problems')
    const [problem] = 'problems' in parsed ? parsed.problems : []
    expect(problem?.line).toBe(line)
    expect(problem?.message).toContain(message)
  })
  test.each(['[,', 'a: 1\n', '{a:,', '}'])('takes time in proportion to its length if it repeats %j', (piece) => {
    const text = piece.startsWith('a')
      ? Array.from({ length: 25_000 }, (_, index) => `a${index}: 1`).join('\n')
      : piece.charAt(0) + piece.slice(piece.length > 1 ? 1 : 0).repeat(Math.floor(130_000 / piece.length))
    const started = performance.now()
    expect(parseAlcoveFile(text, now)).toHaveProperty('problems')
    expect(performance.now() - started).toBeLessThan(12_000)
  })
})
