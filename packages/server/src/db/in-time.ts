/** Error for a missing response. */
export class Silence extends Error {
  constructor(ms: number) {
    super(`PostgreSQL did not answer within ${ms / 1000} s`)
    this.name = 'Silence'
  }
}

/** Rejects with `Silence` when there is no response within the time. */
export function inTime<Response>(response: Promise<Response>, ms: number): Promise<Response> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Silence(ms))
    // After a long pause of this process, the timer fires before a response that has already arrived is read.
    const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), ms).unref()
    response.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
