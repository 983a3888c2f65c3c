import { expect, test } from 'vitest'
import { bodyOf, type EventBody, type VulnerabilityEvent } from './hook-event-body.ts'
import { formatEvents, type HookFormat } from './hook-format.ts'

const hostile = '<!channel> [x](https://evil.test) *b* | & `c`'

function flaw(title: string, line = 1): VulnerabilityEvent {
  const url = `https://alcove.test/acme/site/-/security/vulnerabilities/${line}`
  return {
    object_kind: 'vulnerability',
    object_attributes: { url, title, state: 'detected', severity: 'high', location: { file: 'src/app.ts' } },
  }
}

const send = (format: HookFormat, events: readonly EventBody[]) => formatEvents(format, events).map(bodyOf)

test('GitLab’s format has a body for each event', () => {
  const events = [flaw('One', 1), flaw('Two', 2)]
  expect(send('gitlab', events)).toEqual(events)
  expect(send('slack', [])).toEqual([])
})

test('Slack receives one message, in which titles cannot mention a channel or add links', () => {
  expect(send('slack', [flaw('SQL injection'), flaw(hostile, 2)])).toEqual([
    {
      text: [
        '2 vulnerabilities in acme/site are new or changed',
        '• <https://alcove.test/acme/site/-/security/vulnerabilities/1|SQL injection> · high · detected · src/app.ts',
        '• <https://alcove.test/acme/site/-/security/vulnerabilities/2|&lt;!channel&gt; [x](https://evil.test) *b* ¦ &amp; `c`> · high · detected · src/app.ts',
      ].join('\n'),
    },
  ])
})

test('Mattermost receives one message, in which titles have no Markdown', () => {
  const [message] = send('mattermost', [flaw(hostile)]) as { text: string }[]
  const [heading, line] = message?.text.split('\n') ?? []
  expect(heading).toBe('1 vulnerability in acme/site is new or changed')
  expect(line).toBe(
    '• [\\<\\!channel\\> \\[x\\]\\(https\\://evil.test\\) \\*b\\* \\| & \\`c\\`](https://alcove.test/acme/site/-/security/vulnerabilities/1) · high · detected · src/app.ts',
  )
})

test('Teams receives an Adaptive Card', () => {
  expect(send('teams', [flaw('SQL injection')])).toEqual([
    {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              {
                type: 'TextBlock',
                weight: 'Bolder',
                wrap: true,
                text: '1 vulnerability in acme/site is new or changed',
              },
              {
                type: 'TextBlock',
                wrap: true,
                text: '[SQL injection](https://alcove.test/acme/site/-/security/vulnerabilities/1) · high · detected · src/app.ts',
              },
            ],
          },
        },
      ],
    },
  ])
})

test('a chat message lists 20 items and states how many follow, and plain JSON lists all', () => {
  const events = Array.from({ length: 23 }, (_, line) => flaw(`Flaw ${line}`, line))
  const [slack] = send('slack', events) as { text: string }[]
  expect(slack?.text.split('\n')).toHaveLength(22)
  expect(slack?.text).toMatch(/^23 vulnerabilities .*and 3 more$/s)
  const [plain] = send('json', events)
  expect(plain).toMatchObject({
    text: '23 vulnerabilities in acme/site are new or changed',
    items: events.map(({ object_attributes: { url, title } }) => ({ url, title })),
  })
})

test('tokens that expire and reports on hold have messages, too', () => {
  const token: EventBody = {
    object_kind: 'access_token',
    event_name: 'expiring_access_token',
    group: { full_path: 'acme' },
    object_attributes: { name: 'CI', expires_at: '2026-06-01' },
  }
  const held: EventBody = {
    object_kind: 'security_report',
    event_name: 'absences_held',
    project: { path_with_namespace: 'acme/site' },
    object_attributes: {
      ref: 'main',
      scanner: 'Trivy',
      present: 40,
      absent: 39,
      url: 'https://alcove.test/acme/site/-/reports/7',
    },
  }
  expect(send('slack', [token])).toEqual([{ text: 'An access token of acme expires soon\n• CI · 2026-06-01' }])
  expect(send('slack', [held])).toEqual([
    {
      text: 'A report in acme/site is on hold: it would make 39 of 40 findings absent\n• <https://alcove.test/acme/site/-/reports/7|Report of Trivy> · main',
    },
  ])
})
