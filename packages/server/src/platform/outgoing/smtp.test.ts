import { describe, expect, test } from 'vitest'
import { startSmtp } from '../../testing/stand-ins/smtp.ts'
import { type OutgoingMail, sendMail } from './smtp.ts'

const mail: OutgoingMail = {
  to: { name: 'Ada', address: 'ada@example.test' },
  subject: 'Grüße',
  text: 'Hello Ada',
  html: '<p>Hello Ada</p>',
  messageId: '<1@example.test>',
  date: '2026-05-01T10:00:00.000Z',
  headers: { 'Auto-Submitted': 'auto-generated' },
}
const credentials = { user: 'alcove', password: 'p@ss word' }

describe('a message', () => {
  test('is sent with a text and an HTML part', async () => {
    const smtp = await startSmtp()
    expect(await sendMail(smtp.settings, mail)).toEqual({ kind: 'accepted' })
    expect(smtp.received).toMatchObject([
      {
        to: 'ada@example.test',
        isEncrypted: false,
        headers: {
          from: 'Alcove <alcove@example.test>',
          to: 'Ada <ada@example.test>',
          'message-id': '<1@example.test>',
          'auto-submitted': 'auto-generated',
          date: 'Fri, 01 May 2026 10:00:00 +0000',
        },
        text: expect.stringContaining('Hello Ada'),
        html: expect.stringContaining('<p>Hello Ada</p>'),
      },
    ])
  })

  test.each(['implicit', 'starttls'] as const)('is sent over TLS (%s) after authentication', async (tls) => {
    const smtp = await startSmtp({ tls, credentials })
    expect(await sendMail(smtp.settings, mail)).toEqual({ kind: 'accepted' })
    expect(smtp.received).toMatchObject([{ isEncrypted: true }])
  })

  test.each(['implicit', 'starttls'] as const)(
    'is not sent over TLS (%s) with an untrusted certificate',
    async (tls) => {
      const smtp = await startSmtp({ tls, credentials })
      const outcome = await sendMail({ ...smtp.settings, verifiesCertificates: true }, mail)
      expect(outcome).toMatchObject({ kind: 'deferred', reason: expect.stringMatching(/certificate/i) })
      expect(smtp.offered).toEqual({ recipients: 0, messages: 0 })
    },
  )

  test('is not sent without TLS when it is required and the server does not offer it', async () => {
    const smtp = await startSmtp()
    expect(await sendMail({ ...smtp.settings, tls: 'starttls' }, mail)).toMatchObject({ kind: 'deferred' })
    expect(smtp.offered).toEqual({ recipients: 0, messages: 0 })
  })

  test('uses TLS when the server offers it and nothing else is configured', async () => {
    const smtp = await startSmtp({ tls: 'starttls' })
    expect(await sendMail({ ...smtp.settings, tls: 'if-offered' }, mail)).toEqual({ kind: 'accepted' })
    expect(smtp.received).toMatchObject([{ isEncrypted: true }])
  })

  test('waits while the password is wrong', async () => {
    const smtp = await startSmtp({ tls: 'starttls', credentials })
    const settings = { ...smtp.settings, credentials: { ...credentials, password: 'wrong' } }
    expect(await sendMail(settings, mail)).toMatchObject({ kind: 'deferred', reason: expect.stringContaining('535') })
    expect(smtp.offered.recipients).toBe(0)
  })
})

describe('the result of sending', () => {
  test.each([
    [450, 'deferred'],
    [421, 'deferred'],
    [550, 'refused'],
    ['drop', 'deferred'],
  ] as const)('is, after %s for the recipient, %s', async (reaction, kind) => {
    const smtp = await startSmtp()
    smtp.atRecipient = () => reaction
    expect(await sendMail(smtp.settings, mail)).toMatchObject({ kind })
    expect(smtp.offered.messages).toBe(0)
  })

  test.each([
    [451, 'deferred'],
    [554, 'refused'],
    ['drop', 'unknown'],
    ['accept and drop', 'unknown'],
  ] as const)('is, after %s for the message, %s', async (reaction, kind) => {
    const smtp = await startSmtp()
    smtp.atMessage = () => reaction
    expect(await sendMail(smtp.settings, mail)).toMatchObject({ kind })
  })

  test('is deferred when the server is not there', async () => {
    const smtp = await startSmtp()
    await smtp.pause()
    expect(await sendMail(smtp.settings, mail)).toMatchObject({ kind: 'deferred', reason: expect.any(String) })
    await smtp.resume()
    expect(await sendMail(smtp.settings, mail)).toEqual({ kind: 'accepted' })
  })

  test('is deferred when the process stops before the message is transferred, and known when it is being transferred', async () => {
    const smtp = await startSmtp()
    expect(await sendMail(smtp.settings, mail, AbortSignal.abort())).toMatchObject({ kind: 'deferred' })
    expect(smtp.received).toEqual([])
    const stopping = new AbortController()
    smtp.atMessage = () => {
      stopping.abort()
      return 'accept'
    }
    expect(await sendMail(smtp.settings, mail, stopping.signal)).toEqual({ kind: 'accepted' })
    expect(smtp.received).toHaveLength(1)
  })

  test('is refused for an address that would inject a command', async () => {
    const smtp = await startSmtp()
    const to = { address: 'ada@example.test>\r\nRCPT TO:<eve@example.test' }
    expect(await sendMail(smtp.settings, { ...mail, to })).toMatchObject({ kind: 'refused' })
    expect(smtp.offered.messages).toBe(0)
  })
})
