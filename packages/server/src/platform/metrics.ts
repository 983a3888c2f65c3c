import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Metrics of the process, for Prometheus. */
export interface Metrics {
  /** Records a request. The route is its pattern, so that labels do not contain ids or names. */
  countRequest(method: string, route: string, status: number, ms: number): void
  /** Counts a read of a stored file whose size or SHA-256 differs from the recorded one. */
  countDamagedFile(): void
  /** Counts a root field of a GraphQL operation, which stands in for the operation's name: that is the client's choice. */
  countGraphqlField(type: string, field: string): void
  /** Counts a virus scan of an upload. */
  countVirusScan(result: VirusScanResult): void
  /** Returns the metrics in Prometheus' text format. Those that are read from the database are passed in. */
  print(stored: StoredMetrics): Promise<string>
}

/** `not_scanned`: too large for the scanner. `failed`: the scanner or the file was not available. */
type VirusScanResult = 'clean' | 'infected' | 'not_scanned' | 'failed'

/** Metrics of all processes. */
interface StoredMetrics {
  queue: QueueMetrics
  mails: readonly MailCount[]
  streams: readonly StreamLag[]
  scans: ScanQueue
}

interface ScanQueue {
  pending: number
  quarantined: number
}

export interface JobCount {
  kind: string
  state: string
  total: number
}

interface MailCount {
  state: string
  total: number
}

interface StreamLag {
  destination: string
  lag: number
  failures: number
}

export interface QueueMetrics {
  counts: readonly JobCount[]
  /** How long the oldest waiting job of each kind has been due. */
  ages: readonly { kind: string; seconds: number }[]
}

export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE

export function openMetrics(): Metrics {
  openProcessMetrics()
  const registry = new Registry()
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
  const graphqlFields = new Counter({
    name: 'alcove_graphql_fields_total',
    help: 'Valid GraphQL operations, by their type and their fields',
    labelNames: ['type', 'field'] as const,
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
  const mailGauge = new Gauge({
    name: 'alcove_mails',
    help: 'Messages of all processes that wait, or that were not delivered in the last 90 days',
    labelNames: ['state'] as const,
    registers: [registry],
  })
  const lagGauge = new Gauge({
    name: 'alcove_audit_stream_lag_events',
    help: 'Audit events that a destination has not accepted',
    labelNames: ['destination'] as const,
    registers: [registry],
  })
  const failureGauge = new Gauge({
    name: 'alcove_audit_stream_failures',
    help: 'Consecutive failed attempts to send audit events to a destination',
    labelNames: ['destination'] as const,
    registers: [registry],
  })
  const scans = openScanMetrics(registry)
  return {
    countRequest: (method, route, status, ms) => requests.observe({ method, route, status: String(status) }, ms / 1000),
    countDamagedFile: () => damagedFiles.inc(),
    countVirusScan: scans.count,
    countGraphqlField: (type, field) => graphqlFields.inc({ type, field }),
    print({ queue: { counts, ages }, mails, streams, scans: scanQueue }) {
      jobGauge.reset()
      ageGauge.reset()
      mailGauge.reset()
      lagGauge.reset()
      failureGauge.reset()
      for (const { destination, lag, failures } of streams) {
        lagGauge.set({ destination }, lag)
        failureGauge.set({ destination }, failures)
      }
      scans.set(scanQueue)
      for (const { state, total } of mails) mailGauge.set({ state }, total)
      for (const { kind, seconds } of ages) ageGauge.set({ kind }, seconds)
      for (const { kind, state, total } of counts) jobGauge.set({ kind, state }, total)
      return Registry.merge([openProcessMetrics(), registry]).metrics()
    },
  }
}

function openScanMetrics(registry: Registry) {
  const scans = new Counter({
    name: 'alcove_virus_scans_total',
    help: 'Virus scans of uploads by this process',
    labelNames: ['result'] as const,
    registers: [registry],
  })
  for (const result of ['clean', 'infected', 'not_scanned', 'failed'] as const) scans.inc({ result }, 0)
  const pendingGauge = new Gauge({
    name: 'alcove_virus_scans_pending',
    help: 'Uploads that wait for their virus scan',
    registers: [registry],
  })
  const quarantineGauge = new Gauge({
    name: 'alcove_quarantined_uploads',
    help: 'Uploads in which a virus scan found a threat, and which were neither released nor deleted',
    registers: [registry],
  })
  return {
    count: (result: VirusScanResult) => scans.inc({ result }),
    set({ pending, quarantined }: ScanQueue) {
      pendingGauge.set(pending)
      quarantineGauge.set(quarantined)
    },
  }
}

let processMetrics: Registry | undefined

/** Returns the metrics of the process, which all servers in it share. Their observers and timers never end. */
function openProcessMetrics(): Registry {
  if (processMetrics) return processMetrics
  processMetrics = new Registry()
  collectDefaultMetrics({ register: processMetrics })
  return processMetrics
}
