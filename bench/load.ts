import autocannon from 'autocannon'
import { percentile } from './table.ts'

export interface Load {
  url: string
  /** Divided among the connections; each requests its share in turn. */
  paths: readonly string[]
  method?: 'POST' | 'PUT'
  headers?: Record<string, string>
  body?: Buffer
  /** One body per path, instead of one for all. */
  bodies?: readonly Buffer[]
  connections: number
  seconds: number
  /** Maximum number of requests, if it is reached before the time is over. */
  atMost?: number
}

export interface Measured {
  requestsPerSecond: number
  medianMs: number
  p99Ms: number
  requests: number
}

/** Sends requests as fast as the server responds. Throws when a response is an error, which would distort the result. */
export function sendLoad(load: Load): Promise<Measured> {
  const { url, paths, bodies: _, connections, seconds, atMost, ...request } = load
  const latencies: number[] = []
  let failure: Error | undefined
  let first = 0
  let last = 0
  let nextClient = 0
  return new Promise((resolve, reject) => {
    const options = {
      url,
      ...request,
      connections,
      idReplacement: request.body?.includes('[<id>]') === true,
      timeout: 60,
      duration: seconds,
      // A load ends at the first sample after its duration; by default there is one per second.
      sampleInt: 50,
      setupClient: (client: autocannon.Client) => {
        // Do not decode bodies as text: the benchmark does not need them.
        client.pipelinedRequests.addBody = () => {}
        client.setRequests(requestsOf(load, nextClient++))
      },
    }
    const run = autocannon(options, (error) => {
      if (error ?? failure) return reject(error ?? failure)
      if (latencies.length === 0) return reject(new Error(`${url}${paths[0]} answered nothing in ${seconds} s`))
      const sorted = Float64Array.from(latencies).sort()
      resolve({
        requestsPerSecond: latencies.length / ((last - first) / 1000),
        medianMs: percentile(sorted, 50),
        p99Ms: percentile(sorted, 99),
        requests: latencies.length,
      })
    })
    run.on('start', () => {
      first = performance.now()
    })
    run.on('response', (_client: unknown, status: number, _bytes: number, ms: number) => {
      last = performance.now()
      latencies.push(ms)
      if (status >= 300) failure ??= new Error(`${request.method ?? 'GET'} ${url}${paths[0]} … answered ${status}`)
      if (failure || (atMost !== undefined && latencies.length >= atMost)) run.stop()
    })
    run.on('reqError', (error: Error) => {
      failure ??= new Error(`${request.method ?? 'GET'} ${url}${paths[0]} … failed: ${error.message}`)
    })
  })
}

/** Returns the share of a connection of all requests. */
function requestsOf({ paths, bodies, connections }: Omit<Load, 'seconds'>, client: number) {
  const share = Math.ceil(paths.length / connections)
  const start = (client * share) % paths.length
  return paths.slice(start, start + share).map((path, index) => {
    const body = bodies?.[start + index]
    return body ? { path, body } : { path }
  })
}
