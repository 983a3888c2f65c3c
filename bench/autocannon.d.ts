/** The part of autocannon that is used here; it has no types of its own. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events'

  namespace autocannon {
    interface Request {
      path: string
      body?: Buffer
    }
    interface Client {
      setRequests(requests: Request[]): void
      pipelinedRequests: { addBody(chunk: Buffer): void }
    }
    interface Options {
      url: string
      method?: string
      headers?: Record<string, string>
      body?: Buffer
      connections: number
      duration: number
      timeout?: number
      setupClient?: (client: Client) => void
    }
    interface Run extends EventEmitter {
      stop(): void
    }
  }
  function autocannon(options: autocannon.Options, done: (error: Error | null) => void): autocannon.Run
  export = autocannon
}
