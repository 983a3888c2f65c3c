import { createReadStream, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { readAccepted, readRejected } from '../../../../testing/reports/read-report-file.ts'

const address = new URL('./fixtures/issues.xml', import.meta.url)
const fixture = () => createReadStream(address)
const textFile = (text: string | Buffer) => () => Readable.from([Buffer.from(text)])
const written = readFileSync(address, 'utf8')
const withIssues = (issues: string) => `<issues burpVersion="1">${issues}</issues>`
const issue =
  '<issue><type>1</type><name>a</name><host>https://a.test</host><path>/</path><severity>Low</severity></issue>'

test('an issue is read with its texts, its ids and its address', async () => {
  const { format, version, reportType, findings } = await readAccepted(fixture, { strict: true })
  expect([format, version, reportType]).toEqual(['burp', '2099.1.2', 'dast'])
  expect(findings[0]).toMatchObject({
    pointer: '/issues/0',
    name: 'SQL injection',
    description:
      'The parameter q ends a statement & begins another.\n\nSQL statements contain input of the user.\n\nThey can be changed.',
    solution: 'Use parameters:\n\n- in every statement\n- also in reports',
    severity: 'high',
    confidence: 'high',
    scanner: { externalId: 'burp', name: 'Burp Suite', version: '2099.1.2' },
    location: { hostname: 'https://shop.example.com', path: '/search', method: 'GET', param: 'q parameter' },
    links: [{ name: 'About injections', url: 'https://example.com/injection' }],
    identifiers: [
      { externalType: 'burp_issue_type', externalId: '1049088' },
      { externalType: 'cwe', externalId: '89' },
    ],
  })
})

test('the same issue on two hosts is two findings, and false positives are skipped', async () => {
  const { findings, skipped, counts, gaps } = await readAccepted(fixture)
  expect(counts).toEqual({ read: 4, merged: 0, skipped: 1 })
  expect(skipped).toEqual([{ pointer: '/issues/3', reason: 'it was marked as a false positive in Burp' }])
  expect(gaps).toEqual([])
  expect(findings.map(({ location, severity, confidence }) => [location.hostname, severity, confidence])).toEqual([
    ['https://shop.example.com', 'high', 'high'],
    ['https://admin.example.com', 'high', 'low'],
    ['https://shop.example.com', 'info', 'confirmed'],
  ])
  expect(findings[2]?.description).toBe('Scripts can read the cookie.')
})

test('requests and responses, which may contain secrets, are not stored', async () => {
  expect(JSON.stringify((await readAccepted(fixture)).findings)).not.toMatch(/R0VU|session=secret|SFRUUC8/)
})

test('a report gives the same result in chunks of any size', async () => {
  const whole = await readAccepted(fixture)
  for (const size of [1, 7, 1000]) {
    const pieces = () =>
      Readable.from(
        Array.from({ length: Math.ceil(written.length / size) }, (_, at) =>
          Buffer.from(written.slice(at * size, (at + 1) * size)),
        ),
      )
    expect(await readAccepted(pieces)).toEqual(whole)
  }
})

test('a scan without issues makes known findings absent', async () => {
  const { counts, gaps } = await readAccepted(textFile(withIssues('')))
  expect([counts.read, gaps]).toEqual([0, []])
})

describe('a hostile or damaged file is rejected:', () => {
  test.for([
    [
      'an entity',
      `<!DOCTYPE issues [<!ENTITY a SYSTEM "file:///etc/passwd">]>${withIssues('&a;')}`,
      'declares entities',
    ],
    [
      'an entity after elements',
      `<!DOCTYPE issues [<!ELEMENT a ANY><!ENTITY a "b">]>${withIssues('')}`,
      'declares entities',
    ],
    ['deep nesting', withIssues(`<issue>${'<a>'.repeat(100_000)}`), 'nested more than 16 levels deep'],
    [
      'a file that is cut off in an issue',
      written.slice(0, written.indexOf('</confidence>')),
      'is cut off: the element confidence of issue 1',
    ],
    ['a file that is cut off between issues', `<issues burpVersion="1">${issue}`, 'is cut off: its root'],
    ['an issue that is not closed', withIssues('<issue><type>1</type><issue></issue>'), 'is damaged'],
    ['a second root', `${withIssues(issue)}<issues/>`, 'an element after its root'],
    ['another root before', `<a/>${withIssues(issue)}`, 'The root of the XML is a'],
    [
      'another encoding',
      Buffer.from(withIssues(issue.replace('<name>a', '<name>\u00e9')), 'latin1'),
      'is not UTF-8 text: byte 0xe9',
    ],
  ] as const)('%s', async ([, text, message]) => {
    expect(await readRejected(textFile(text))).toEqual([expect.stringContaining(message)])
  })

  test('an element of more than 32 MiB', async () => {
    const open = () =>
      Readable.from(
        (function* () {
          yield Buffer.from('<issues burpVersion="1"><issue><name><![CDATA[')
          for (let mebibytes = 0; mebibytes < 40; mebibytes++) yield Buffer.alloc(1024 * 1024, 'a')
        })(),
      )
    expect(await readRejected(open)).toEqual(['An element of the XML is longer than 32 MiB.'])
  })
})

test('undeclared entities stay as written, and long texts are shortened', async () => {
  const text = withIssues(
    issue
      .replace('<name>a', '<name>&secret;')
      .replace('</issue>', `<issueDetail>${'x'.repeat(600_000)}</issueDetail></issue>`),
  )
  const { findings } = await readAccepted(textFile(text))
  expect(findings).toMatchObject([{ name: '&secret;', severity: 'low' }])
  expect(findings[0]?.rawMetadata.length).toBeLessThan(600_000)
})

test('an issue without a type or an address keeps what is known', async () => {
  const { gaps, skipped } = await readAccepted(textFile(withIssues('<issue><name>a</name></issue><issue/>')))
  expect(skipped).toEqual([
    { pointer: '/issues/0', reason: 'it has no identifier' },
    { pointer: '/issues/1', reason: 'it has no identifier' },
  ])
  expect(gaps).toHaveLength(1)
})
