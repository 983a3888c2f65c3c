/** Length of a time step. Authenticator apps assume it, six digits and SHA-1 when they read a QR code. */
export const stepMs = 30_000
const parameters = { algorithm: 'SHA1', digits: 6, period: stepMs / 1000 }

/** Number of steps before and after the current one whose codes are accepted, because clocks differ. */
const window = 1

/** Loaded when it is needed, because most requests of most servers never do. */
const load = () => import('otpauth')

/** Returns a secret of 160 bits in base 32, the length that RFC 4226 recommends. */
export async function encodeSecret(bytes: Uint8Array): Promise<string> {
  const { Secret } = await load()
  return new Secret({ buffer: new Uint8Array(bytes).buffer }).base32
}

/** Returns the `otpauth://` address of a QR code. */
export async function totpUri(secret: string, account: string, issuer: string): Promise<string> {
  const { TOTP } = await load()
  return new TOTP({ ...parameters, secret, label: account, issuer }).toString()
}

/** Returns the time step that the code belongs to, or `undefined` when the code is wrong at this time. */
export async function stepOfCode(secret: string, code: string, now: string): Promise<number | undefined> {
  if (!/^\d{6}$/.test(code)) return undefined
  const { Secret, TOTP } = await load()
  const timestamp = Date.parse(now)
  const config = { ...parameters, token: code, secret: Secret.fromBase32(secret), timestamp, window }
  const delta = TOTP.validate(config)
  return delta === null ? undefined : Math.floor(timestamp / stepMs) + delta
}
