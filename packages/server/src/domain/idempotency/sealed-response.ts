import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** Response as stored for repeated requests. */
export interface StoredResponse {
  status: number
  headers: Record<string, string | string[]>
  /** Null for a response without a body. */
  body: string | null
  contentType: string | null
}

const cipher = 'aes-256-gcm'
const lengths = { salt: 16, iv: 12, tag: 16 }

/** Returns the stored hash of a key. */
export function hashKey(key: string): string {
  return createHash('sha256').update(`idempotency key ${key}`).digest('hex')
}

/** Returns a fingerprint of the request. It is keyed, so that the stored value does not help to guess a password. */
export function fingerprint(key: string, request: string): string {
  return createHmac('sha256', key).update(request).digest('hex')
}

/** Encrypts a response with a key that only the client has, because responses may contain new tokens. */
export function sealResponse(key: string, response: StoredResponse): string {
  const salt = randomBytes(lengths.salt)
  const iv = randomBytes(lengths.iv)
  const sealing = createCipheriv(cipher, secretOf(key, salt), iv)
  const content = Buffer.concat([sealing.update(JSON.stringify(response), 'utf8'), sealing.final()])
  return Buffer.concat([salt, iv, sealing.getAuthTag(), content]).toString('base64')
}

export function unsealResponse(key: string, sealed: string): StoredResponse {
  const bytes = Buffer.from(sealed, 'base64')
  const ivAt = lengths.salt
  const tagAt = ivAt + lengths.iv
  const contentAt = tagAt + lengths.tag
  const opening = createDecipheriv(cipher, secretOf(key, bytes.subarray(0, ivAt)), bytes.subarray(ivAt, tagAt))
  opening.setAuthTag(bytes.subarray(tagAt, contentAt))
  const text = Buffer.concat([opening.update(bytes.subarray(contentAt)), opening.final()]).toString('utf8')
  return JSON.parse(text) as StoredResponse // written by `sealResponse`
}

function secretOf(key: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, 'alcove stored response', 32))
}
