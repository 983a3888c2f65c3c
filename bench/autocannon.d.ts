/** Types of the used part of autocannon, which has none. */
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
      idReplacement: boolean
      sampleInt: number
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
