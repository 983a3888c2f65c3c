import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What the process counts of itself, for Prometheus. */
export interface Metrics {
  /** One answered request; the route is its pattern, so that no id or name of anybody gets into a label. */
  countRequest(method: string, route: string, status: number, ms: number): void
  /** One stored file whose size or SHA-256 is not the recorded one, each time it is read. */
  countDamagedFile(): void
  /** The text format of Prometheus. Jobs are counted in the database, where all processes have them. */
  print(queue: QueueMetrics): Promise<string>
}

export interface JobCount {
  kind: string
  state: string
  total: number
}

export interface QueueMetrics {
  counts: readonly JobCount[]
  /** For how long the oldest waiting job of a kind has been due. */
  ages: readonly { kind: string; seconds: number }[]
}

export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE

export function openMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'alcove_http_request_duration_seconds',
    help: 'Time from the first header to the last byte of the answer',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  })
  const damagedFiles = new Counter({
    name: 'alcove_damaged_files_total',
    help: 'Reads of stored files that found other bytes than were stored',
    registers: [registry],
  })
  const jobGauge = new Gauge({
    name: 'alcove_jobs',
    help: 'Jobs of all processes that wait, run or have failed',
    labelNames: ['kind', 'state'] as const,
    registers: [registry],
  })
  const ageGauge = new Gauge({
    name: 'alcove_jobs_oldest_due_seconds',
    help: 'For how long the oldest waiting job of a kind has been due',
    labelNames: ['kind'] as const,
    registers: [registry],
  })
  return {
    countRequest: (method, route, status, ms) => requests.observe({ method, route, status: String(status) }, ms / 1000),
    countDamagedFile: () => damagedFiles.inc(),
    print({ counts, ages }) {
      jobGauge.reset()
      ageGauge.reset()
      for (const { kind, seconds } of ages) ageGauge.set({ kind }, seconds)
      for (const { kind, state, total } of counts) jobGauge.set({ kind, state }, total)
      return registry.metrics()
    },
  }
}
