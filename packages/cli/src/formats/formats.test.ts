import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parsePolicy } from '../gate/policy.ts'
import { codeQualitySchema, jsonSchema, sarifSchema } from '../testing/format-schemas.ts'
import { listedFinding, uploadResult } from '../testing/results.ts'
import { parseXml } from '../testing/xml.ts'
import type { UploadResult } from '../upload/upload-result.ts'
import { formatNames } from './format-names.ts'
import { writeResult } from './formats.ts'

const inPackage = listedFinding({
  uuid: '0b7a9e2e-59f3-5b7e-8a10-1f1f6f3d1a02',
  name: 'CVE-2099-0001 in openssl',
  severity: 'critical',
  report_type: 'container_scanning',
  location: { image: 'shop/api:1', dependency: { package: { name: 'openssl' }, version: '3.0' } },
  identifiers: [
    { external_type: 'cve', external_id: 'CVE-2099-0001', name: 'CVE-2099-0001', url: 'https://cve.example.org/1' },
  ],
})
const known = listedFinding({ uuid: 'd4c1e3b0-0f4c-5c58-9d0e-7b8b2f6a4c03', name: 'Weak hash', severity: 'low' })
const fixed = listedFinding({ uuid: '5c0f0a9d-6a4e-5d2c-8f5b-0d1c2b3a4e04', name: 'Open redirect', severity: 'medium' })

const full = uploadResult({ new: [inPackage, listedFinding()], known: [known], fixed: [fixed] })
const empty = uploadResult()

/** Text with the syntax of everything that output could be read as. */
const hostile = [
  '\u001b]0;title\u0007\u001b[2J\u009b31m',
  '\n::error::injected\n##vso[task.complete result=Failed]##[error]x',
  '\r\n/close\n# heading\n<script>alert(1)</script><img src=x onerror=alert(1)>',
  '`code` ``more`` [link](javascript:alert(1)) ![i](http://evil.example/x) @all !1 #1 | cell',
  ']]></failure></testcase>&amp;"\' -- --> \u202egnp.exe \ud800 %0A::notice::y , : =',
].join(' ')
const attack = uploadResult(
  {
    new: [
      listedFinding({
        name: hostile,
        location: { file: hostile, start_line: 1 },
        solution: hostile,
        web_url: 'javascript:x',
      }),
      listedFinding({
        uuid: inPackage.uuid,
        name: hostile,
        report_type: hostile,
        location: { image: hostile },
        identifiers: [{ external_type: 'x', external_id: 'x', name: hostile, url: hostile }],
      }),
    ],
    fixed: [listedFinding({ name: hostile, location: { file: hostile } })],
  },
  { project: 'shop/api', ref: hostile, commit: hostile, gate: { policy: parsePolicy('new'), violations: [] } },
)

const write = (format: (typeof formatNames)[number], result: UploadResult) =>
  writeResult(format, result, { isColoured: false })

describe.each(formatNames)('format %s', (format) => {
  test('prints hostile text without control characters, log commands or directions', () => {
    expect(write(format, attack)).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\ud800]|##\w*\[/u)
  })
})

test.each(formatNames.filter((format) => format !== 'codequality' && format !== 'json'))(
  'format %s says that findings are not listed',
  (format) => {
    const sampled = uploadResult({ new: [listedFinding()], isComplete: false })
    const result = { ...sampled, comparison: { ...sampled.comparison, new: 12_000 } }
    const hint = 'Only 1 of 12000 findings are listed: the token may not read findings; give it the scope read_api.'
    expect(write(format, result)).toContain(hint)
    expect(write(format, { ...result, isDryRun: true })).toContain('listed: a dry run returns samples.')
    expect(write(format, full)).not.toContain('listed')
  },
)

describe('text', () => {
  test('has counts by severity, findings with location and link, and the gate', () => {
    const policy = parsePolicy('new:high')
    const [rule] = policy
    const violations = rule ? [{ rule, count: 2 }] : []
    expect(write('text', { ...full, isProjectCreated: true, gate: { policy, violations } })).toMatchInlineSnapshot(`
      "shop/api feature/login at a1b2c3d4e5f6, compared with main (project created)
        semgrep.json: 3 findings, 2 new to the project (Semgrep, sast)

                critical    high  medium     low  unknown    info   total
      new              1       1       0       0        0       0       2
      fixed            0       0       1       0        0       0       1
      known            0       0       0       1        0       0       1

      New
        critical CVE-2099-0001 in openssl  shop/api:1 (openssl 3.0)
                 https://alcove.example.com/shop/api/-/security/vulnerabilities/7
        high     SQL injection  src/db.ts:14
                 https://alcove.example.com/shop/api/-/security/vulnerabilities/7

      Fixed
        medium   Open redirect  src/db.ts:14
                 https://alcove.example.com/shop/api/-/security/vulnerabilities/7

      Known
        low      Weak hash  src/db.ts:14
                 https://alcove.example.com/shop/api/-/security/vulnerabilities/7

      Gate failed:
        2 new findings of severity high or above (new:high)
      "
    `)
  })

  test.each(['text', 'markdown'] as const)(
    '%s calls the findings of a ref without a target present, not known',
    (format) => {
      const onTarget = { ...full, comparison: { ...full.comparison, ref: null, new: 0, fixed: 0 } }
      const text = write(format, { ...onTarget, lists: { ...full.lists, new: [], fixed: [] } })
      expect(text).toMatch(/present/)
      expect(text).toMatch(/Present/)
      expect(text).not.toMatch(/\bknown\b/i)
    },
  )

  test('shows at most 20 findings of a kind and counts the rest', () => {
    const many = Array.from({ length: 25 }, (_, index) => listedFinding({ uuid: `u${index}` }))
    expect(write('text', uploadResult({ new: many }))).toContain('\n  and 5 more\n')
  })

  test('has no line that CI systems read as a command', () => {
    for (const line of write('text', attack).split('\n')) expect(line.trimStart()).not.toMatch(/^::/)
  })
})

describe('JSON formats match their schema', () => {
  test.each([
    ['json', jsonSchema],
    ['codequality', codeQualitySchema],
    ['sarif', sarifSchema],
  ] as const)('%s', (format, schema) => {
    const validate = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true }).compile(schema)
    for (const result of [full, empty, attack]) {
      validate(JSON.parse(write(format, result)))
      expect(validate.errors ?? []).toEqual([])
    }
  })
})

describe('codequality', () => {
  test('has present findings with a stable fingerprint and a path inside the repository', () => {
    expect(JSON.parse(write('codequality', full))).toEqual([
      {
        description: 'CVE-2099-0001 in openssl in shop/api:1 (openssl 3.0)',
        check_name: 'CVE-2099-0001',
        fingerprint: inPackage.uuid,
        severity: 'blocker',
        location: { path: 'container_scanning', lines: { begin: 1 } },
      },
      {
        description: 'SQL injection',
        check_name: 'CWE-89',
        fingerprint: '7a1d8c64-4c44-5d0b-9c54-0a4b1f7f2f10',
        severity: 'critical',
        location: { path: 'src/db.ts', lines: { begin: 14 } },
      },
      expect.objectContaining({ description: 'Weak hash', severity: 'minor' }),
    ])
  })
})

describe('sarif', () => {
  test('marks findings as new, unchanged and absent', () => {
    const { runs } = JSON.parse(write('sarif', full))
    expect(runs[0].results.map((row: { baselineState: string }) => row.baselineState)).toEqual([
      'new',
      'new',
      'unchanged',
      'absent',
    ])
    expect(runs[0].results[1].locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: 'src/db.ts', uriBaseId: '%SRCROOT%' },
      region: { startLine: 14, endLine: 16 },
    })
    expect(runs[0].tool.driver.rules[runs[0].results[0].ruleIndex].id).toBe('CVE-2099-0001')
  })
})

describe('junit', () => {
  const casesOf = (result: UploadResult) => {
    const document = parseXml(write('junit', result))
    const suite = document.children[0]
    expect([document.name, suite?.name, document.children.length]).toEqual(['testsuites', 'testsuite', 1])
    expect(Number(suite?.attributes['tests'])).toBe(suite?.children.length)
    const failures = suite?.children.filter((one) => one.children.some(({ name }) => name === 'failure')) ?? []
    expect(Number(suite?.attributes['failures'])).toBe(failures.length)
    expect(
      suite?.children.every(
        ({ name, attributes }) => name === 'testcase' && attributes['name'] && attributes['classname'],
      ),
    ).toBe(true)
    return { cases: suite?.children ?? [], failures }
  }

  test('has a case for each present finding, and new ones fail', () => {
    const { cases, failures } = casesOf(full)
    expect(cases.map(({ attributes }) => attributes['name'])).toEqual([
      '[critical] CVE-2099-0001 in openssl in shop/api:1 (openssl 3.0)',
      '[high] SQL injection in src/db.ts:14',
      '[low] Weak hash in src/db.ts:14',
    ])
    expect(failures).toHaveLength(2)
    expect(cases[1]?.attributes).toMatchObject({ file: 'src/db.ts', line: '14', classname: 'sast' })
  })

  test('fails exactly what the policy counts', () => {
    const failuresOf = (text: string) =>
      casesOf({ ...full, gate: { policy: parsePolicy(text), violations: [] } }).failures.length
    expect(['new:critical', 'any:low', 'known', 'known:critical'].map(failuresOf)).toEqual([1, 3, 1, 0])
  })

  test('has one passing case without findings', () => {
    expect(casesOf(empty)).toMatchObject({ failures: [], cases: [{ attributes: { name: 'No findings' } }] })
  })

  test('keeps hostile text in attributes and text', () => {
    expect(casesOf(attack).cases).toHaveLength(2)
  })
})

describe('markdown', () => {
  test('has counts, linked findings in code spans, and folded lists', () => {
    expect(write('markdown', full)).toMatchInlineSnapshot(`
      "### Security findings: 2 new, 1 fixed, 1 known

      [\`shop/api\`](https://alcove.example.com/shop/api): \`feature/login\` at \`a1b2c3d4e5f6\`, compared with \`main\`.

      |  | critical | high | medium | low | unknown | info | total |
      | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
      | new | 1 | 1 | 0 | 0 | 0 | 0 | 2 |
      | fixed | 0 | 0 | 1 | 0 | 0 | 0 | 1 |
      | known | 0 | 0 | 0 | 1 | 0 | 0 | 1 |

      **New**

      - **critical** [\`CVE-2099-0001 in openssl\`](https://alcove.example.com/shop/api/-/security/vulnerabilities/7) in \`shop/api:1 (openssl 3.0)\`
      - **high** [\`SQL injection\`](https://alcove.example.com/shop/api/-/security/vulnerabilities/7) in \`src/db.ts:14\`

      <details><summary>Fixed: 1</summary>

      - **medium** [\`Open redirect\`](https://alcove.example.com/shop/api/-/security/vulnerabilities/7) in \`src/db.ts:14\`

      </details>

      <details><summary>Known: 1</summary>

      - **low** [\`Weak hash\`](https://alcove.example.com/shop/api/-/security/vulnerabilities/7) in \`src/db.ts:14\`

      </details>
      "
    `)
  })

  test('keeps hostile text inside of code spans', () => {
    const outside = write('markdown', attack)
      // Removes code spans: a fence, and everything up to the same fence.
      .replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, 'CODE')
    expect(outside).not.toMatch(/script|onerror|javascript|@all|evil|gnp/)
    for (const line of write('markdown', attack).split('\n')) expect(line).not.toMatch(/^\//)
  })
})

describe('annotations', () => {
  /** Decodes workflow commands as the runner of GitHub does. */
  const decode = (output: string) =>
    output
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [, name, list = '', message = ''] = /^::(\w+)(?: ([^:]*))?::(.*)$/.exec(line) ?? []
        const properties = list
          .split(',')
          .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])
        return {
          name,
          ...Object.fromEntries(properties.map(([key, value]) => [key, decodeURIComponent(value ?? '')])),
          message,
        }
      })

  test('has new findings with file, line and title', () => {
    expect(decode(write('annotations', full))).toEqual([
      {
        name: 'error',
        title: 'critical: CVE-2099-0001 in openssl',
        message: expect.stringContaining('CVE-2099-0001 in openssl · shop/api:1 (openssl 3.0) · https://'),
      },
      {
        name: 'error',
        file: 'src/db.ts',
        line: '14',
        endLine: '16',
        title: 'high: SQL injection',
        message: expect.stringContaining('SQL injection · https://alcove.example.com/'),
      },
    ])
    expect(write('annotations', empty)).toBe('')
  })

  test('are one command each, whatever the text contains', () => {
    const commands = decode(write('annotations', attack))
    expect(commands).toHaveLength(2)
    expect(commands.map(({ name }) => name)).toEqual(['error', 'error'])
  })

  test('add the violated policy as an error', () => {
    const [rule] = parsePolicy('new:high')
    const gate = { policy: rule ? [rule] : [], violations: rule ? [{ rule, count: 2 }] : [] }
    expect(decode(write('annotations', { ...empty, gate }))).toEqual([
      { name: 'error', title: 'Alcove policy failed', message: '2 new findings of severity high or above (new:high)' },
    ])
  })
})
