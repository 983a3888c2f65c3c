import { RequestFailed } from '@alcove/client'

/** Makes a key for one action of the user. `crypto.randomUUID` is missing on pages without HTTPS. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Whether the change may have been made all the same, so that the next try needs the same key. */
export function isOutcomeUnknown(error: unknown): boolean {
  return !(error instanceof RequestFailed) || error.status >= 500 || error.status === 409
}

const blobs = new WeakMap<Blob, string>()

/** Describes a request so that equal descriptions mean the same request. Each chosen file counts as one of its own. */
export function contentOf(request: unknown): string {
  return JSON.stringify(request, (_, value: unknown) => {
    if (!(value instanceof Blob)) return value
    const known = blobs.get(value) ?? newIdempotencyKey()
    blobs.set(value, known)
    return known
  })
}

/** Keys of actions by what was sent; a key is kept until the outcome of its action is known. */
export function createKeyring() {
  const keys = new Map<string, string>()
  return {
    async use<Answer>(content: string, send: (key: string) => Promise<Answer>): Promise<Answer> {
      const key = keys.get(content) ?? newIdempotencyKey()
      keys.set(content, key)
      try {
        const answer = await send(key)
        keys.delete(content)
        return answer
      } catch (error) {
        if (!isOutcomeUnknown(error)) keys.delete(content)
        throw error
      }
    },
  }
}
