import type { SettingValues } from './setting-values.ts'

/** Server that accepts the messages of this instance, and the sender of all of them. */
export interface MailSettings {
  host: string
  port: number
  /** TLS from the first byte (`smtps://`), after STARTTLS, after STARTTLS if the server offers it, or never. */
  tls: 'implicit' | 'starttls' | 'if-offered' | 'never'
  verifiesCertificates: boolean
  credentials?: { user: string; password: string }
  from: MailAddress
}

/** Formats an address as `readAddress` reads it. */
export function formatAddress({ name, address }: MailAddress): string {
  return name ? `${name} <${address}>` : address
}

export interface MailAddress {
  name?: string
  address: string
}

const smtpUrls = 'an address such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com'

/** Reads `ALCOVE_SMTP_URL` and `ALCOVE_MAIL_FROM`. Without the first, no mail is sent. */
export function readMail(values: SettingValues): MailSettings | undefined {
  const url = values.check('SMTP_URL', isSmtpUrl, smtpUrls)
  const isSender = (text: string) => readAddress(text) !== undefined
  const from = readAddress(values.check('MAIL_FROM', isSender, 'an address such as Alcove <alcove@example.com>') ?? '')
  if (!values.has('SMTP_URL')) return undefined
  if (!values.has('MAIL_FROM')) {
    values.problems.push('ALCOVE_MAIL_FROM is not set; allowed is an e-mail address when there is ALCOVE_SMTP_URL.')
  }
  if (!values.has('EXTERNAL_URL')) {
    values.problems.push(
      'ALCOVE_EXTERNAL_URL is not set; allowed is the address of this server, for the links in messages, when there is ALCOVE_SMTP_URL.',
    )
  }
  return url && from ? { ...readServer(new URL(url)), from } : undefined
}

function readServer(url: URL): Omit<MailSettings, 'from'> {
  const isImplicit = url.protocol === 'smtps:'
  const credentials = url.username && {
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  }
  const startTls = url.searchParams.get('starttls')
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port ? Number(url.port) : isImplicit ? 465 : 587,
    // Credentials and tokens in links must not be readable on the way, unless the operator decides so.
    tls: isImplicit
      ? 'implicit'
      : startTls === 'off'
        ? 'never'
        : startTls === 'required' || credentials
          ? 'starttls'
          : 'if-offered',
    verifiesCertificates: url.searchParams.get('verify') !== 'false',
    ...(credentials && { credentials }),
  }
}

const allowedOptions: Record<string, readonly string[]> = { starttls: ['required', 'off'], verify: ['true', 'false'] }

function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname, hash, searchParams, username, password } = new URL(text)
  const isKnown = [...searchParams].every(([name, value]) => allowedOptions[name]?.includes(value))
  return (
    ['smtp:', 'smtps:'].includes(protocol) &&
    hostname !== '' &&
    ['', '/'].includes(pathname) &&
    hash === '' &&
    isKnown &&
    (protocol === 'smtp:' || !searchParams.has('starttls')) &&
    (username === '') === (password === '') &&
    isDecodable(username + password)
  )
}

function isDecodable(text: string): boolean {
  try {
    return !/\p{Cc}/u.test(decodeURIComponent(text))
  } catch {
    return false
  }
}

/** Reads `alcove@example.com` or `Alcove <alcove@example.com>`. */
function readAddress(text: string): MailAddress | undefined {
  const bracket = text.endsWith('>') ? text.lastIndexOf('<') : -1
  const address = bracket < 0 ? text : text.slice(bracket + 1, -1)
  const name = bracket < 0 ? '' : text.slice(0, bracket).trim()
  if (!/^[\x21-\x7e]+$/.test(address) || !/^[^@<>,;:"()\\]+@[^@<>,;:"()\\]+$/.test(address)) return undefined
  if (/[\p{Cc}<>"]/u.test(name)) return undefined
  return { address, ...(name && { name }) }
}
