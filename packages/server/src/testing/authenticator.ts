import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** Authenticator with one passkey, as a browser would present it to the server's page. */
export interface Authenticator {
  /** Signature counter, which a test can set. */
  count: number
  /** Returns the response to the options for a new passkey. */
  create(options: { challenge: string }): object
  /** Returns the response to the options for the use of a passkey. */
  use(options: { challenge: string }, overrides?: { origin?: string; flags?: number }): object
}

const userPresent = 0x01
const userVerified = 0x04
const attestedData = 0x40

/** Creates an authenticator of the page at this origin, with an elliptic curve key. */
export function createAuthenticator(origin = 'http://localhost'): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  const rpIdHash = sha256(new URL(origin).hostname)
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const coordinates = [x, y].map((text) => Buffer.from(text, 'base64url'))

  const authenticator: Authenticator = {
    count: 0,

    create({ challenge }) {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const key = map([1, 2], [3, -7], [-1, 1], [-2, coordinates[0] ?? ''], [-3, coordinates[1] ?? ''])
      const flags = userPresent | userVerified | attestedData
      const data = Buffer.concat([authenticatorData(flags), Buffer.alloc(16), length, id, key])
      const attestationObject = map(['fmt', 'none'], ['attStmt', {}], ['authData', data]).toString('base64url')
      const clientDataJSON = clientData('webauthn.create', challenge, origin)
      return credential({ attestationObject, clientDataJSON, transports: ['internal'] })
    },

    use({ challenge }, { origin: from = origin, flags = userPresent | userVerified } = {}) {
      authenticator.count += 1
      const data = authenticatorData(flags)
      const clientDataJSON = clientData('webauthn.get', challenge, from)
      const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))])
      const signature = sign('sha256', signed, privateKey).toString('base64url')
      return credential({ authenticatorData: data.toString('base64url'), clientDataJSON, signature })
    },
  }
  return authenticator

  function authenticatorData(flags: number): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(authenticator.count)
    return Buffer.concat([rpIdHash, Buffer.from([flags]), count])
  }

  function credential(response: object): object {
    const encoded = id.toString('base64url')
    return { id: encoded, rawId: encoded, type: 'public-key', clientExtensionResults: {}, response }
  }
}

function clientData(type: string, challenge: string, origin: string): string {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString('base64url')
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

type CborValue = number | string | Buffer | Record<string, never>

/** Encodes a map in CBOR. */
function map(...entries: [CborValue, CborValue][]): Buffer {
  return Buffer.concat([Buffer.from([0xa0 + entries.length]), ...entries.flat().map(encode)])
}

function encode(value: CborValue): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return head(5, 0)
}

/** Encodes the major type of a value with its number or length below 256. */
function head(type: number, size: number): Buffer {
  return Buffer.from(size < 24 ? [type * 32 + size] : [type * 32 + 24, size])
}
