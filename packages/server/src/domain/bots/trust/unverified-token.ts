import type { Claims } from './claims.ts'

const maxTokenLength = 8 * 1024
const part = /^[A-Za-z0-9_-]+$/

/** Signature algorithms that are accepted. All are asymmetric, so that a public key cannot sign. */
export const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/** Returns true for text that has the form of a JSON Web Token. Access tokens of Alcove have not. */
export function isWebToken(token: string): boolean {
  return token.startsWith('eyJ') && token.split('.', 4).length === 3
}

/**
 * Returns the claims of a token whose signature has not been verified, to find the relations that it may belong to.
 * Returns `undefined` for a token that is too long, malformed, names a claim twice or has an algorithm that is not
 * accepted.
 */
export function readUnverified(token: string): Claims | undefined {
  if (token.length > maxTokenLength) return undefined
  const [head = '', body = '', signature = '', ...more] = token.split('.')
  if (more.length > 0 || ![head, body, signature].every((text) => part.test(text))) return undefined
  const header = readObject(head)
  if (!header || !algorithms.includes(String(header['alg']))) return undefined
  return readObject(body)
}

function readObject(encoded: string): Claims | undefined {
  const text = Buffer.from(encoded, 'base64url').toString('utf8')
  try {
    const value: unknown = JSON.parse(text)
    // JSON.parse keeps the last of two values, other readers the first.
    return isObject(value) && !repeatsName(text) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns true when an object of valid JSON has two members of the same name. */
function repeatsName(json: string): boolean {
  const open: Set<string>[] = []
  // Linear time: the text is valid JSON, so every string ends.
  const tokens = json.match(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}]/g) ?? []
  for (const token of tokens) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (token.endsWith(':')) {
      const name = String(JSON.parse(token.slice(0, -1)))
      const names = open.at(-1)
      if (names?.has(name)) return true
      names?.add(name)
    }
  }
  return false
}
