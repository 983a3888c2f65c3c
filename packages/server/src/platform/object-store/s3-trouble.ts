import { finished, type Readable, Transform } from 'node:stream'
import { Failure, unavailable } from '../failure.ts'

/**
 * Awaits a response of the bucket. Returns the given value for an expected error, by its name, and converts any other
 * error to `unavailable`.
 */
export async function asked<T, U = never>(
  answer: Promise<T>,
  expected: Readonly<Record<string, U>> = {},
): Promise<T | U> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Error && Object.hasOwn(expected, error.name)) return expected[error.name] as U // checked above
    throw trouble(error)
  }
}

/** Passes a stream through. Fails when it fails, or yields no data for `silenceMs` while a reader is waiting. */
export function readUnlessSilent(body: Readable, silenceMs: number): Readable {
  const passedOn = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      timer.refresh()
      done(null, chunk)
    },
  })
  const timer = setTimeout(() => {
    if (passedOn.writableNeedDrain) timer.refresh()
    else passedOn.destroy(trouble(new Error(`no more of the object came for ${silenceMs} ms`)))
  }, silenceMs)

  passedOn.on('error', () => {}) // readers still receive the error
  finished(body, { writable: false }, (error) => {
    clearTimeout(timer)
    if (error) passedOn.destroy(trouble(error))
  })
  passedOn.once('close', () => body.destroy())
  return body.pipe(passedOn)
}

function trouble(error: unknown): Failure {
  if (error instanceof Failure) return error
  return unavailable('the object store', error instanceof Error ? reason(error) : String(error))
}

/** Returns the reason of an error with its name, because the message of a rejected HEAD is empty or "UnknownError". */
function reason(error: Error & { code?: string; $metadata?: { httpStatusCode?: number } }): string {
  const status = error.$metadata?.httpStatusCode
  return [error.name, error.code, status, error.message].filter((part) => part !== undefined && part !== '').join(' ')
}
