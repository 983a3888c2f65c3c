import { Readable } from 'node:stream'
import type SmtpConnection from 'nodemailer/lib/smtp-connection'
import type { MailAddress, MailSettings } from '../settings/mail-settings.ts'

/** Message with the same content as text and as HTML. */
export interface OutgoingMail {
  to: MailAddress
  subject: string
  text: string
  html: string
  messageId: string
  date: string
  attachments?: { filename: string; contentType: string; content: Buffer }[]
  headers: Readonly<Record<string, string>>
}

/**
 * Result of sending a message.
 * - `accepted`: the server has taken responsibility for it.
 * - `refused`: the server will not accept this message or recipient (5xx).
 * - `deferred`: the server has certainly not accepted it and may do so later.
 * - `unknown`: the connection ended after the message was sent and before the reply, so the server may have accepted it.
 */
export type SendOutcome = { kind: 'accepted' } | { kind: 'refused' | 'deferred' | 'unknown'; reason: string }

const connectTimeoutMs = 10_000
const silenceTimeoutMs = 60_000

/**
 * Sends a message once, on a connection of its own. The operator chooses the SMTP server, so the rules for addresses
 * that users choose (`addresses.ts`) do not apply. Loads the library on first use, because most processes send nothing.
 */
export async function sendMail(settings: MailSettings, mail: OutgoingMail, signal?: AbortSignal): Promise<SendOutcome> {
  const [{ default: MailComposer }, { default: Connection }] = await Promise.all([
    import('nodemailer/lib/mail-composer'),
    import('nodemailer/lib/smtp-connection'),
  ])
  const message = await new MailComposer({
    from: addressOf(settings.from),
    ...mail,
    to: addressOf(mail.to),
    date: new Date(mail.date),
    headers: { ...mail.headers },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()
  const connection = new Connection({
    host: settings.host,
    port: settings.port,
    secure: settings.tls === 'implicit',
    requireTLS: settings.tls === 'starttls',
    ignoreTLS: settings.tls === 'never',
    tls: { rejectUnauthorized: settings.verifiesCertificates, minVersion: 'TLSv1.2' },
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: silenceTimeoutMs,
    name: settings.from.address.slice(settings.from.address.lastIndexOf('@') + 1),
    logger: false,
  })
  const envelope = { from: settings.from.address, to: [mail.to.address], size: message.length }
  return converse(connection, settings, { envelope, message, signal })
}

interface Delivery {
  envelope: { from: string; to: string[]; size: number }
  message: Buffer
  signal: AbortSignal | undefined
}

/** Holds the SMTP dialogue and closes the connection. */
function converse(
  connection: SmtpConnection,
  { credentials }: MailSettings,
  { envelope, message, signal }: Delivery,
): Promise<SendOutcome> {
  return new Promise((resolve) => {
    let hasBegun = false
    const end = (outcome: SendOutcome) => {
      signal?.removeEventListener('abort', abandon)
      connection.close()
      resolve(outcome)
    }
    /** Ends the dialogue of a process that stops, unless the server has begun to receive the message. */
    const abandon = () => {
      if (!hasBegun) end({ kind: 'deferred', reason: 'the process stops' })
    }
    // Read by the connection only after the server has accepted the recipient and DATA.
    const body = new Readable({
      read() {
        hasBegun = true
        this.push(message)
        this.push(null)
      },
    })
    const send = () =>
      connection.send(envelope, body, (error) => end(error ? outcomeOfSending(error, hasBegun) : { kind: 'accepted' }))
    const defer = (error: SmtpError) => end({ kind: 'deferred', reason: reasonOf(error) })

    signal?.addEventListener('abort', abandon, { once: true })
    connection.on('error', (error) =>
      end(hasBegun ? outcomeOfSending(error, hasBegun) : { kind: 'deferred', reason: reasonOf(error) }),
    )
    connection.connect((error) => {
      if (error) return defer(error)
      if (!credentials) return send()
      // A refused password is the operator's mistake, and messages wait until it is corrected.
      const { user, password } = credentials
      connection.login({ credentials: { user, pass: password } }, (error) => (error ? defer(error) : send()))
    })
    if (signal?.aborted) abandon()
  })
}

type SmtpError = Error & { responseCode?: number | undefined; code?: string | undefined }

function outcomeOfSending(error: SmtpError, hasBegun: boolean): SendOutcome {
  const { responseCode = 0, code } = error
  const reason = reasonOf(error)
  if (responseCode >= 500) return { kind: 'refused', reason }
  if (responseCode >= 400) return { kind: 'deferred', reason }
  if (hasBegun) return { kind: 'unknown', reason }
  // Without a response: an address that the library does not send, or a lost connection.
  return { kind: code === 'EENVELOPE' || code === 'EMESSAGE' ? 'refused' : 'deferred', reason }
}

const maxReasonCharacters = 300

function reasonOf({ message }: Error): string {
  // Servers choose the text of their responses.
  return message.replaceAll(/\p{Cc}+/gu, ' ').slice(0, maxReasonCharacters)
}

const addressOf = ({ name, address }: MailAddress) => ({ name: name ?? '', address })
