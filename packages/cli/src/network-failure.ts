import type { Environment } from './io.ts'

/** Why a request got no response. */
export interface NetworkFailure {
  /** Completes the sentence `The server does not respond: …`, with what to do about it. */
  reason: string
  /** False if another attempt would fail as well. */
  mayPass: boolean
}

/** Describes an error of `fetch`. */
export function describeNetworkFailure(error: unknown, url: string, env: Environment): NetworkFailure {
  const { code, message } = innermost(error)
  const certificate = certificateProblems[code]
  if (certificate) return { reason: certificate, mayPass: false }
  return { reason: `${reasons[code] ?? (message || code)}${proxyHint(url, env)}`, mayPass: true }
}

/** Returns code and message of the error that caused the failure: `fetch` wraps it. */
function innermost(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: '', message: String(error) }
  if (error.name === 'TimeoutError') return { code: 'TimeoutError', message: error.message }
  const { cause } = error
  if (!(cause instanceof Error)) return { code: '', message: error.message }
  return { code: 'code' in cause ? String(cause.code) : '', message: cause.message || error.message }
}

const reasons: Partial<Record<string, string>> = {
  TimeoutError: 'it took too long. Use --timeout to wait longer',
  ECONNREFUSED: 'nothing listens at that address. Check ALCOVE_URL and its port, and that the server runs',
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  ENOTFOUND: 'its name cannot be resolved. Check ALCOVE_URL',
  EAI_AGAIN: 'its name cannot be resolved. Check ALCOVE_URL, and the name servers of this machine',
  EHOSTUNREACH: 'there is no route to it from this machine',
  ENETUNREACH: 'there is no route to it from this machine',
  UND_ERR_CONNECT_TIMEOUT:
    'it does not accept connections. Check ALCOVE_URL, and firewalls between this machine and it',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS at that port. Check whether ALCOVE_URL must begin with http://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not use TLS at that port. Check whether ALCOVE_URL must begin with http://',
  HPE_INVALID_CONSTANT: 'what listens there does not use HTTP. Check ALCOVE_URL and its port',
}

const untrusted =
  'its certificate is not trusted by this machine. Name a file with the certificate of its authority in NODE_EXTRA_CA_CERTS'

const certificateProblems: Partial<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet. Check the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name. Set ALCOVE_URL to the name in the certificate',
}

/** Returns what to do where a proxy is configured that Node.js does not use by default. */
function proxyHint(url: string, env: Environment): string {
  const scheme = url.startsWith('http:') ? 'HTTP' : 'HTTPS'
  const name = [`${scheme}_PROXY`, `${scheme.toLowerCase()}_proxy`].find((variable) => env[variable])
  const isUsed = env['NODE_USE_ENV_PROXY'] === '1' || env['NODE_OPTIONS']?.includes('--use-env-proxy')
  if (!name || isUsed || isExcepted(new URL(url).hostname, env['NO_PROXY'] ?? env['no_proxy'] ?? '')) return ''
  return `.\n${name} is set, but Node.js uses it only with NODE_USE_ENV_PROXY=1 (Node.js 22.21, or 24 and later)`
}

function isExcepted(host: string, noProxy: string): boolean {
  return noProxy
    .split(/[\s,]+/)
    .map((entry) => entry.replace(/^\*?\./, ''))
    .some((entry) => entry === '*' || (entry !== '' && (host === entry || host.endsWith(`.${entry}`))))
}
