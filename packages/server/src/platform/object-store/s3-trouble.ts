import { finished, type Readable, Transform } from 'node:stream'
import { Failure, unavailable } from '../failure.ts'

/**
 * What the bucket answers, or what is expected in place of an error by its name. Whatever else goes wrong there: for this
 * process the object store is not available.
 */
export async function asked<T, U = never>(
  answer: Promise<T>,
  expected: Readonly<Record<string, U>> = {},
): Promise<T | U> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Error && Object.hasOwn(expected, error.name)) return expected[error.name] as U // it is there: just looked for
    throw trouble(error)
  }
}

/** Passes the stream on; fails when it does, or when for so long nothing came although somebody waits for it. */
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

  passedOn.on('error', () => {}) // it may fail before anybody reads it; whoever reads it then hears the error
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

/** The name says most: the message of a refused HEAD is empty, or nothing but "UnknownError". */
function reason(error: Error & { code?: string; $metadata?: { httpStatusCode?: number } }): string {
  const status = error.$metadata?.httpStatusCode
  return [error.name, error.code, status, error.message].filter((part) => part !== undefined && part !== '').join(' ')
}
