import { RequestFailed } from '@alcove/client'
import { store } from './store.ts'

/** Creates a key for one user action. `crypto.randomUUID` does not exist on pages without HTTPS. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Returns true when the request may have succeeded despite the error, so that a retry needs the same key. */
export function isOutcomeUnknown(error: unknown): boolean {
  return !(error instanceof RequestFailed) || error.status >= 500 || error.status === 409
}

const blobs = store.slot(() => new WeakMap<Blob, string>())

/** Serialises a request: equal strings mean equal requests. Each file gets its own id. */
export function contentOf(request: unknown): string {
  return JSON.stringify(request, (_, value: unknown) => {
    if (!(value instanceof Blob)) return value
    const known = blobs.get().get(value) ?? newIdempotencyKey()
    blobs.get().set(value, known)
    return known
  })
}

/** Creates a map from request contents to keys. A key is kept until the outcome of its request is known. */
export function createKeyring() {
  const keys = new Map<string, string>()
  return {
    async use<Result>(content: string, send: (key: string) => Promise<Result>): Promise<Result> {
      const key = keys.get(content) ?? newIdempotencyKey()
      keys.set(content, key)
      try {
        const response = await send(key)
        keys.delete(content)
        return response
      } catch (error) {
        if (!isOutcomeUnknown(error)) keys.delete(content)
        throw error
      }
    },
  }
}
