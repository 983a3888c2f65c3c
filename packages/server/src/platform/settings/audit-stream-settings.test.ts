import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { describeSettings } from './described-settings.ts'
import { readSettings, WrongSettings } from './settings.ts'

const read = (stream: string, header?: string) =>
  readSettings({ ALCOVE_AUDIT_STREAM: stream, ...(header && { ALCOVE_AUDIT_STREAM_HEADER: header }) }).auditStreams

describe('ALCOVE_AUDIT_STREAM', () => {
  test('is empty by default', () => {
    expect(readSettings({}).auditStreams).toEqual([])
  })

  test('has destinations of all kinds', () => {
    const text = 'file:///var/log/audit%20log.jsonl syslog+tcp://[::1]:601 syslog+tls://logs.example.com?ca=/etc/ca.pem'
    expect(read(`${text}\nhttps://siem.example.com/`)).toEqual([
      { kind: 'file', name: 'file:///var/log/audit log.jsonl', path: '/var/log/audit log.jsonl' },
      { kind: 'syslog', name: 'syslog+tcp://[::1]:601', host: '::1', port: 601, isEncrypted: false },
      {
        kind: 'syslog',
        name: 'syslog+tls://logs.example.com:6514',
        host: 'logs.example.com',
        port: 6514,
        isEncrypted: true,
        caFile: '/etc/ca.pem',
      },
      { kind: 'http', name: 'https://siem.example.com', url: 'https://siem.example.com/', headers: {} },
    ])
  })

  test('names HTTP destinations without their path and query, which may contain a token', () => {
    const [one, other] = read('https://siem.example.com/in/s3cret https://siem.example.com/?token=s3cret')
    expect(one?.name).toMatch(/^https:\/\/siem\.example\.com#[0-9a-f]{8}$/)
    expect(other?.name).toMatch(/^https:\/\/siem\.example\.com#[0-9a-f]{8}$/)
    expect(other?.name).not.toBe(one?.name)
    expect(one).toMatchObject({ url: 'https://siem.example.com/in/s3cret' })
  })

  test.each([
    ['/var/log/audit.jsonl', 'is not a URL'],
    ['file:audit.jsonl', 'is not the absolute path of a file'],
    ['file://host/audit.jsonl', 'is not the absolute path of a file'],
    ['file:///srv/log/', 'is not the absolute path of a file'],
    ['file:///var/log%2Faudit', 'is not the absolute path of a file'],
    ['syslog://logs.example.com:514', 'is syslog over UDP, which loses events'],
    ['syslog+udp://logs.example.com:514', 'is syslog over UDP, which loses events'],
    ['syslog+tcp://syslog.example.com', 'is not a host with a port'],
    ['syslog+tls:///path', 'is not a host with a port'],
    ['syslog+tcp://logs.example.com:601/path', 'is not a host with a port'],
    ['syslog+tcp://logs.example.com:601?ca=/ca.pem', 'has an unknown parameter'],
    ['syslog+tls://logs.example.com?ca=ca.pem', 'has an unknown parameter'],
    ['syslog+tls://logs.example.com?verify=false', 'has an unknown parameter'],
    ['https://user:s3cret@siem.example.com', 'contains a user name or password'],
    ['https://siem.example.com/#part', 'contains a fragment'],
    ['kafka://logs.example.com', 'has the unknown scheme kafka://'],
  ])('rejects %s without repeating it', (text, reason) => {
    const [problem = '', ...others] = problemsOf(() => read(`file:///audit.jsonl ${text}`))
    expect(problem).toContain(`ALCOVE_AUDIT_STREAM: destination 2 ${reason}`)
    expect(problem).not.toContain(text)
    expect(problem).not.toContain('s3cret')
    expect(others).toEqual([])
  })

  test('rejects a repeated destination and more than ten', () => {
    expect(problemsOf(() => read('file:///a file:///a'))).toEqual([
      'ALCOVE_AUDIT_STREAM has the destination file:///a twice; once is allowed.',
    ])
    const eleven = Array.from({ length: 11 }, (_, number) => `file:///${number}`).join(' ')
    expect(problemsOf(() => read(eleven))).toEqual(['ALCOVE_AUDIT_STREAM has 11 destinations; allowed are 10.'])
  })

  test('may be in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'alcove-settings-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'stream')
    writeFileSync(file, 'file:///a\nfile:///b\n')
    const { auditStreams } = readSettings({ ALCOVE_AUDIT_STREAM_FILE: file })
    expect(auditStreams.map(({ name }) => name)).toEqual(['file:///a', 'file:///b'])
  })
})

describe('ALCOVE_AUDIT_STREAM_HEADER', () => {
  const [one, other] = ['https://one.example.com', 'https://other.example.com']

  test('has one line for each HTTP destination', () => {
    const streams = read(`${one} file:///a ${other}`, 'Authorization: Splunk s3cret\n-')
    expect(streams).toMatchObject([{ headers: { Authorization: 'Splunk s3cret' } }, {}, { headers: {} }])
  })

  test('is rejected with another number of lines, so that no secret goes to another receiver', () => {
    expect(problemsOf(() => read(`${one} ${other}`, 'Authorization: s3cret'))).toEqual([
      expect.stringContaining('ALCOVE_AUDIT_STREAM_HEADER has 1 lines for 2 HTTP destinations'),
    ])
    expect(problemsOf(() => read('file:///a', 'Authorization: s3cret'))).toHaveLength(1)
  })

  test.each(['s3cret', ': s3cret', 'A b: s3cret', 'Host: s3cret', 'content-length: 3', 'X-Token: s3crét', 'X-Token:'])(
    'rejects %s without repeating it',
    (header) => {
      const problems = problemsOf(() => read(one, header))
      expect(problems).toEqual([
        'ALCOVE_AUDIT_STREAM_HEADER: line 1 is not a header such as Authorization: Bearer …, or - for none.',
      ])
    },
  )

  test('is a secret like the destinations, which administrators do not see', () => {
    const settings = readSettings({
      ALCOVE_AUDIT_STREAM: `${one}/s3cret`,
      ALCOVE_AUDIT_STREAM_HEADER: 'X-Token: s3cret',
    })
    const described = describeSettings(settings).filter(({ variable }) => variable.startsWith('ALCOVE_AUDIT_STREAM'))
    expect(described).toMatchObject([
      { isSecret: true, isSet: true, value: null },
      { isSecret: true, isSet: true, value: null },
    ])
    expect(JSON.stringify(described)).not.toContain('s3cret')
  })
})

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read()
  } catch (error) {
    if (error instanceof WrongSettings) return error.sentences
    throw error
  }
  return []
}
