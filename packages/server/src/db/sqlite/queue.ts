import { unavailable } from '../../platform/failure.ts'

const turnTimeoutMs = 60_000

/** Tasks that write, one after the other. */
export interface Queue {
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** Returns true if a task is waiting for its turn. */
  hasWaiting(): boolean
}

/** Creates a queue that runs one task at a time, in order. */
export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return {
    hasWaiting: () => waiting > 0,
    inTurn: (work) =>
      new Promise((resolve, reject) => {
        waiting++
        let gaveUp = false
        const timer = setTimeout(() => {
          gaveUp = true
          const why = `waited ${turnTimeoutMs / 1000} s to write; is the outer database used inside a transaction?`
          reject(unavailable('the database', why))
        }, turnTimeoutMs)
        last = last.then(async () => {
          waiting--
          clearTimeout(timer)
          if (!gaveUp) await work().then(resolve, reject)
        })
      }),
  }
}
