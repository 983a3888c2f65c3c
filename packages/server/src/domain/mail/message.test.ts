import { expect, test } from 'vitest'
import { readSettings } from '../../platform/settings/settings.ts'
import type { MailContent } from './mail.ts'
import { composeMail } from './message.ts'

const settings = readSettings({ ALCOVE_EXTERNAL_URL: 'https://alcove.example/files' })
const compose = (content: MailContent, name = 'Ada') =>
  composeMail(
    { settings, now: () => '2026-05-01T10:00:00.000Z' },
    {
      id: 7,
      eventKey: 'k',
      to: { address: 'ada@example.test', user: { id: 1, name, username: 'ada', isConfirmed: true } },
      content,
    },
  )

test('a message has the same blocks as text and as HTML', () => {
  const { text, html } = compose({
    subject: 'News',
    blocks: [
      'Two vulnerabilities are new.',
      { heading: 'acme/site' },
      { list: [{ text: 'SQL injection', url: 'https://alcove.example/1' }, { text: 'XSS' }] },
      { link: 'Show all', url: 'https://alcove.example/all?a=1&b=2' },
    ],
  })
  expect(text).toBe(`Two vulnerabilities are new.

acme/site
---------

- SQL injection
  https://alcove.example/1
- XSS

Show all:
https://alcove.example/all?a=1&b=2

This is an automatic message from Alcove at https://alcove.example/files. All times are in UTC.
`)
  expect(html).toContain('<p>Two vulnerabilities are new.</p>')
  expect(html).toContain('<li><a href="https://alcove.example/1">SQL injection</a></li><li>XSS</li>')
  expect(html).toContain('<a href="https://alcove.example/all?a=1&amp;b=2">Show all</a>')
})

test('text of reports cannot add markup, lines or headers', () => {
  const hostile = '<img src=x onerror=alert(1)>\r\nBcc: eve@example.test\u2028"\u202Eexe\u0000'
  const { subject, text, html, to } = compose(
    { subject: hostile, blocks: [hostile, { list: [{ text: hostile }] }] },
    hostile,
  )
  const plain = '<img src=x onerror=alert(1)> Bcc: eve@example.test "exe'
  expect(subject).toBe(plain)
  expect(to.name).toBe(plain)
  expect(text.split('\n').slice(0, 3)).toEqual([plain, '', `- ${plain}`])
  expect(html).not.toContain('<img')
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; Bcc: eve@example.test &quot;exe')
})

test('a long text is shortened', () => {
  expect(compose({ subject: 'x'.repeat(10_000), blocks: [] }).subject).toHaveLength(500)
})

test('a message has the same id at every attempt, and says that a program has sent it', () => {
  const { messageId, headers } = compose({ subject: 'News', blocks: [] })
  expect(messageId).toBe(compose({ subject: 'Other', blocks: [] }).messageId)
  expect(messageId).toMatch(/^<7\.[0-9a-f]{16}@alcove\.example>$/)
  expect(headers).toMatchObject({ 'Auto-Submitted': 'auto-generated' })
})

test('a message that can be turned off has a link for programs and links for people', () => {
  const subscription = { settingsUrl: 'https://alcove.example/settings', unsubscribeUrl: 'https://alcove.example/off' }
  const { headers, text, html } = compose({ subject: 'News', blocks: [], subscription })
  expect(headers).toMatchObject({
    'List-Unsubscribe': '<https://alcove.example/off>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
  for (const url of Object.values(subscription)) {
    expect(text).toContain(url)
    expect(html).toContain(`<a href="${url}">`)
  }
  expect(compose({ subject: 'News', blocks: [] }).headers).not.toHaveProperty('List-Unsubscribe')
})
