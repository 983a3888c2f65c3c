import type { Sql } from 'sql-template-tag'
import { depsFrom, openApp } from '../../packages/server/src/app.ts'
import type { Database, Db } from '../../packages/server/src/db/db.ts'
import { runJobs } from '../../packages/server/src/domain/jobs/run-jobs.ts'
import { importKind } from '../../packages/server/src/domain/reports/imports/run-imports.ts'
import { openMemoryStore } from '../../packages/server/src/platform/object-store/memory.ts'
import { readSettings } from '../../packages/server/src/platform/settings/settings.ts'
import { type Client, createClient, formWithFile } from '../../packages/server/src/testing/client.ts'
import { observeDatabase } from '../../packages/server/src/testing/databases/observe.ts'
import {
  columnsSearchedByNull,
  isReadByIds,
  planOf,
  tablesNamedById,
} from '../../packages/server/src/testing/plans-of-ids.ts'
import type { Dataset } from '../data/dataset.ts'
import { reportEntry, reportHead } from '../data/entries.ts'
import { benchToken, measuredProjects } from '../data/fixtures.ts'
import { hugeRequests } from './requests.ts'

export interface PlanCheck {
  /** Number of different statements. */
  statements: number
  /** Statements whose plan reads a whole large table, or all rows of a project or all nulls of a column to find a few. */
  problems: string[]
}

/** Tables with a row per finding. */
const large = 'vulnerabilities|findings|occurrences|promoted_findings|finding_identifiers|finding_texts|identifiers'

/** Sends the requests in this process, and examines the plan of every statement that they execute. */
export async function checkPlans(dataset: Dataset): Promise<PlanCheck> {
  const db = await dataset.open()
  try {
    const statements = await statementsOf(db, dataset.env)
    const problems: string[] = []
    for (const query of statements) {
      const plan = await planOf(db, query)
      const found = problemsOf(db, query, plan)
      if (found.length > 0) problems.push(`${found.join(', ')}\n${query.text.trim()}\n${plan}`)
    }
    return { statements: statements.length, problems }
  } finally {
    await db.close()
  }
}

function problemsOf(db: Db, query: Sql, plan: string): string[] {
  const { text } = query
  const named = tablesNamedById(text).filter((table) => !isReadByIds(db, plan, table))
  return [
    ...scannedIn(db, text, plan).map((table) => `reads all of ${table}`),
    ...named.map(({ alias }) => `does not find ${alias} by id`),
    ...columnsSearchedByNull(db, query, plan).map((column) => `finds rows by nulls of ${column}`),
  ]
}

function scannedIn(db: Db, text: string, plan: string): string[] {
  if (db.dialect.engine === 'postgres') return [...plan.matchAll(new RegExp(`Seq Scan on (${large})\\b`, 'g'))].map(of)
  // A scan of an instance-wide index ends at the limit of its statement, so it does not read the whole table.
  const scanned = new Set(
    [...plan.matchAll(/^.*\bSCAN (\w+)(?! USING INDEX vulnerabilities_in_\w+_order)\b/gm)].map(of),
  )
  const declared = text.matchAll(new RegExp(`\\b(?:from|join)\\s+(${large})\\b(?:\\s+(?:as\\s+)?(\\w+))?`, 'g'))
  return [...declared].filter(([, table = '', alias]) => scanned.has(table) || scanned.has(alias ?? '')).map(of)
}

const of = ([, name = '']: RegExpMatchArray): string => name

/** Returns each different statement once. */
async function statementsOf(db: Database, env: Readonly<Record<string, string>>): Promise<Sql[]> {
  const statements = new Map<string, Sql>()
  const observed = observeDatabase(db, (query) => {
    // Others than these have no plan.
    if (/^\s*(?:select|with|insert|update|delete)\b/i.test(query.text)) statements.set(query.text, query)
  })
  const settings = readSettings({ ALCOVE_LOG_LEVEL: 'error', ...env })
  const deps = depsFrom(settings, observed, openMemoryStore())
  // The caller closes the database.
  const app = await openApp({ ...deps, db: { ...observed, close: async () => {} } })
  const runner = runJobs(deps, [importKind])
  try {
    await app.server.ready()
    const client = createClient(app.server, { token: benchToken })
    for (const path of hugeRequests) {
      const start = performance.now()
      await succeed(client.get(path))
      const seconds = (performance.now() - start) / 1000
      if (seconds > 1) console.error(`checking plans: ${path} took ${seconds.toFixed(1)} s`)
    }
    await write(client)
  } finally {
    await runner.stop()
    await app.close()
  }
  return [...statements.values()]
}

/** Changes a few rows, and imports a small report into a project with many findings. */
async function write(client: Client): Promise<void> {
  const at = `/projects/${measuredProjects.medium}`
  const listed = await succeed(client.get(`${at}/vulnerabilities?state=detected&per_page=3`))
  const ids: number[] = listed.body.map(({ id }: { id: number }) => id)
  for (const action of ['confirm', 'dismiss', 'revert'])
    await succeed(client.post(`/vulnerabilities/${ids[0]}/${action}`))
  const selection = { vulnerability_ids: ids, dismissal_reason: 'used_in_tests' }
  const bulk = await succeed(client.post(`${at}/vulnerabilities/bulk`, { action: 'dismiss', ...selection }))
  await succeed(client.post(`${at}/vulnerabilities/bulk/${bulk.body.id}/undo`))
  for (const numbers of [
    [1, 2, 3],
    [2, 3, 4],
  ]) {
    const report = JSON.stringify({ ...reportHead, vulnerabilities: numbers.map(reportEntry) })
    const form = formWithFile('file', 'report.json', report, { ref: 'few', promote: 'true' })
    await succeed(client.post(`${at}/security_reports`, form))
  }
}

async function succeed(sent: ReturnType<Client['get']>) {
  const reply = await sent
  if (reply.status >= 300) throw new Error(`a request was answered ${reply.status}: ${reply.text.slice(0, 300)}`)
  return reply
}
