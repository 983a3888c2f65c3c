import { setTimeout as sleep } from 'node:timers/promises'
import sql from 'sql-template-tag'
import type { AnyJobKind } from '../../domain/jobs/job.ts'
import { importJob, importKind } from '../../domain/reports/imports/run-imports.ts'
import { type Client, formWithFile, type Reply } from '../client.ts'
import type { TestProject, TestServer } from '../server.ts'

/** Returns all vulnerabilities of the project by title. */
export async function vulnerabilitiesOf(
  server: TestServer,
  project: TestProject,
): Promise<Record<string, Reply['body']>> {
  const rows: Reply['body'][] = []
  for (let page = '1'; page !== ''; ) {
    const reply = await server.admin.get(`/projects/${project.id}/vulnerabilities?per_page=100&page=${page}`)
    rows.push(...reply.body)
    page = reply.headers['x-next-page'] ?? ''
  }
  return Object.fromEntries(rows.map((row) => [row.title, row]))
}

/** Returns the history of a vulnerability, oldest first. */
export async function historyOf(client: Client, id: number): Promise<Reply['body'][]> {
  return (await client.get(`/vulnerabilities/${id}/history?per_page=100`)).body
}

/** Stores a report as an import and removes its job. Returns the id of the import. */
export async function keepReport(
  server: TestServer,
  project: TestProject,
  report: object,
  fields: Record<string, string> = {},
  sender: Client = server.admin,
): Promise<number> {
  const file = formWithFile('file', 'report.json', JSON.stringify(report), { ...fields, async: 'true' })
  const kept = await withoutJob(server, importJob(project.id, 0), () =>
    sender.post(`/projects/${project.id}/security_reports`, file),
  )
  return kept.body.id
}

/** Sends a request that queues a job, and removes the job. */
export async function withoutJob(
  { deps: { db, now } }: TestServer,
  { kind, key }: { kind: string; key: string },
  ask: () => Promise<Reply>,
): Promise<Reply> {
  // The previous job may still be finishing when its request returns.
  const block = () =>
    db.run(sql`
      insert into jobs (kind, key, payload, state, stage, attempts, run_at, created_at, lease, lease_expires_at)
      values (${kind}, ${key}, ${{}}, 'running', 'running', 1, ${now()}, ${now()}, 'test', '2100-01-01T00:00:00.000Z')
      on conflict do nothing`)
  while ((await block()) === 0) await sleep(5)
  const reply = await ask()
  if (reply.status !== 202) throw new Error(`expected 202, got ${reply.status}: ${reply.text}`)
  await db.run(sql`delete from jobs where key = ${key}`)
  return reply
}

/** Runs an import to its end, or for this number of steps as if the process were killed then. */
export const runImport = (server: TestServer, importId: number, steps = 1000, beforeStep = () => {}): Promise<void> =>
  runInSteps(server, importKind, { importId }, steps, beforeStep)

/** Runs an import until its results are visible, without the promotion that may follow. */
export const showImport = (server: TestServer, importId: number): Promise<void> =>
  runInSteps(server, importKind, { importId }, undefined, undefined, { goesOn: false })

/** Runs a job until it has checked its abort signal this number of times. */
export async function runInSteps(
  server: TestServer,
  kind: AnyJobKind,
  payload: object,
  steps = 1000,
  beforeStep = () => {},
  { goesOn = true }: { goesOn?: boolean } = {},
): Promise<void> {
  let left = steps
  const controller = new AbortController()
  const progress = async () => {}
  const forget = async () => {}
  const signal = new Proxy(controller.signal, {
    get(target, name) {
      if (name === 'throwIfAborted') {
        return () => {
          beforeStep()
          if (left-- <= 0) throw new Error('killed')
        }
      }
      const value: unknown = Reflect.get(target, name)
      return value
    },
  })
  const job = { id: 0, payload, attempt: 1, lane: kind.kind, signal, progress, forget }
  const run = () => kind.run(server.deps, job)
  while ((await run()) && goesOn);
}
