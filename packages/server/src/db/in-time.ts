/** The server did not respond in time. */
export class Silence extends Error {
  constructor(ms: number) {
    super(`PostgreSQL did not answer within ${ms / 1000} s`)
    this.name = 'Silence'
  }
}

/** Rejects with `Silence` when the response has not arrived in time. */
export function inTime<Response>(response: Promise<Response>, ms: number): Promise<Response> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Silence(ms))
    // After a long pause of this process the timer fires first, although the response has arrived: read it once more.
    const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), ms).unref()
    response.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
