import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'
import type { MailSettings } from '../../platform/settings/mail-settings.ts'

/** Message that the server has accepted. */
interface ReceivedMail {
  to: string
  isEncrypted: boolean
  headers: Record<string, string>
  text: string
  html: string
  attachments: { filename: string; content: Buffer }[]
}

/** Reaction to a recipient or to a message: acceptance, a reply with this status, or the end of the connection. */
export type SmtpReaction = 'accept' | 'drop' | 'accept and drop' | number

export interface SmtpStandIn {
  settings: MailSettings
  received: ReceivedMail[]
  /** Numbers of recipients and messages that were offered. */
  offered: { recipients: number; messages: number }
  atRecipient: (address: string) => SmtpReaction
  atMessage: (mail: ReceivedMail) => SmtpReaction | Promise<SmtpReaction>
  /** Ends all connections and accepts no others until `resume`. */
  pause(): Promise<void>
  resume(): Promise<void>
}

interface SmtpOptions {
  tls?: 'implicit' | 'starttls'
  credentials?: { user: string; password: string }
}

/** Starts an SMTP server on loopback that records messages. Its certificate is self-signed. It stops with the test. */
export async function startSmtp({ tls, credentials }: SmtpOptions = {}): Promise<SmtpStandIn> {
  let server = open()
  const port = await listen(server, 0)
  onTestFinished(() => close(server))
  const smtp: SmtpStandIn = {
    settings: {
      host: '127.0.0.1',
      port,
      tls: tls ?? 'never',
      verifiesCertificates: false,
      ...(credentials && { credentials }),
      from: { name: 'Alcove', address: 'alcove@example.test' },
    },
    received: [],
    offered: { recipients: 0, messages: 0 },
    atRecipient: () => 'accept',
    atMessage: () => 'accept',
    pause: () => close(server),
    async resume() {
      server = open()
      await listen(server, port)
    },
  }
  return smtp

  function open(): SMTPServer {
    const options: SMTPServerOptions = {
      secure: tls === 'implicit',
      disabledCommands: [...(tls ? [] : ['STARTTLS']), ...(credentials ? [] : ['AUTH'])],
      authOptional: !credentials,
      disableReverseLookup: true,
      logger: false,
      onAuth({ username, password }, _session, callback) {
        const isRight = username === credentials?.user && password === credentials?.password
        callback(isRight ? null : new Error('wrong password'), { user: username })
      },
      onRcptTo({ address }, _session, callback) {
        smtp.offered.recipients++
        react(smtp.atRecipient(address), callback)
      },
      async onData(stream, { secure, envelope }, callback) {
        smtp.offered.messages++
        const chunks: Buffer[] = []
        for await (const chunk of stream) chunks.push(chunk)
        const mail = readMessage(Buffer.concat(chunks).toString(), envelope.rcptTo[0]?.address ?? '', secure)
        const reaction = await smtp.atMessage(mail)
        if (reaction === 'accept' || reaction === 'accept and drop') smtp.received.push(mail)
        react(reaction, callback)
      },
    }
    const opened = new SMTPServer(options)
    opened.on('error', () => {}) // connections that the client ends, as after a refused certificate
    return opened
  }

  function react(reaction: SmtpReaction, callback: (error?: Error | null) => void): void {
    if (reaction === 'accept') callback()
    else if (typeof reaction === 'number') callback(Object.assign(new Error('not now'), { responseCode: reaction }))
    else for (const { _socket } of server.connections) _socket.destroy()
  }

  async function close(closing: SMTPServer): Promise<void> {
    for (const { _socket } of closing.connections) _socket.destroy()
    await new Promise<void>((resolve) => closing.close(resolve))
  }
}

function listen(server: SMTPServer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.server.once('error', reject)
    const { server: socket } = server
    server.listen(port, '127.0.0.1', () => resolve((socket.address() as AddressInfo).port)) // it listens on a port
  })
}

/** Reads a message with texts in quoted-printable and attachments in Base64. */
function readMessage(raw: string, to: string, isEncrypted: boolean): ReceivedMail {
  const [head, body] = splitHead(raw)
  const parts = partsOf(head, body).map(splitHead)
  const textOf = (type: string) => {
    const isText = ([head]: [string, string]) => head.includes(`Content-Type: ${type}`) && !head.includes('attachment')
    return decode(parts.find(isText)?.[1] ?? '')
  }
  const attachments = parts.flatMap(([head, body]) => {
    const filename = /attachment;\s*filename="?([^";\r]+)/.exec(head)?.[1]
    return filename === undefined ? [] : [{ filename, content: Buffer.from(body, 'base64') }]
  })
  return {
    to,
    isEncrypted,
    headers: readHeaders(head),
    text: textOf('text/plain'),
    html: textOf('text/html'),
    attachments,
  }
}

function splitHead(text: string): [head: string, body: string] {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  return [head, rest.join('\r\n\r\n')]
}

/** Returns the parts of a message, and the parts of those that have some themselves. */
function partsOf(head: string, body: string): string[] {
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1]
  if (boundary === undefined) return []
  return body.split(`--${boundary}`).flatMap((part) => {
    const [head, body] = splitHead(part)
    return head.includes('Content-Type: multipart/') ? partsOf(head, body) : [part]
  })
}

function readHeaders(head: string): Record<string, string> {
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
}

function decode(text: string): string {
  const bytes = text.replaceAll('=\r\n', '').replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => `%${hex}`)
  return bytes.replaceAll(/(?:%[0-9A-F]{2})+/g, (run) => decodeURIComponent(run)).replaceAll('\r\n', '\n')
}
