import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { openDeps } from '../src/app.ts'
import { endAllLeases } from '../src/domain/jobs/claim-queries.ts'
import { readSettings } from '../src/platform/settings/settings.ts'
import { formWithFile } from '../src/testing/client.ts'
import { createTestDatabase, startPostgres } from '../src/testing/databases/postgres.ts'
import { entry, sastReport } from '../src/testing/reports/reports.ts'
import { startProcess, temporaryFolder } from './process.ts'

const token = 'token-of-the-import-kills'
const headers = { 'private-token': token }

const flaws = (from: number, to: number, severity: string) =>
  Array.from({ length: to - from }, (_, index) => {
    const line = from + index
    return entry({ name: `Flaw ${line}`, line, rule: `r${line}`, severity })
  })
/** Fifty findings; then thirty of them are worse, twenty are gone, and there are 2,970 new ones. */
const first = sastReport(flaws(1, 51, 'Medium'))
const second = sastReport([...flaws(1, 31, 'Critical'), ...flaws(1001, 3971, 'Low')])
const before = { total: 50, critical: 0, gone: 0, listed: 50 }
const after = { total: 3020, critical: 30, gone: 20, listed: 100 }
type Seen = typeof before
/** What an import found is there at once; vulnerabilities are made of it some at a time, and only ever more. */
const isPromoting = (seen: Seen) =>
  isDeepStrictEqual({ ...seen, total: after.total }, after) && seen.total >= before.total && seen.total <= after.total

/** Long enough for any machine, since each wait ends with its event. */
const patiently = { timeout: 120_000, interval: 100 }

test.each([
  ['SQLite', [0, 300], async () => ({})],
  ['PostgreSQL', [100], emptyPostgres],
])(
  'an import and an export killed on %s change nothing or resume, and complete correctly',
  async (_engine, kills, open) => {
    const env = { ALCOVE_DATA: await temporaryFolder(), ALCOVE_BOOTSTRAP_TOKEN: token, ...(await open()) }
    let server = await startProcess({ env })
    const api = async (method: string, path: string, body?: FormData) => {
      const reply = await fetch(`${server.url}/api/v4${path}`, { method, headers, ...(body && { body }) })
      const text = await reply.text()
      return { status: reply.status, text, total: reply.headers.get('x-total'), json: () => JSON.parse(text) }
    }
    const project = (await api('POST', '/projects?name=killed')).json().id
    const send = (report: object, async: string) =>
      api(
        'POST',
        `/projects/${project}/security_reports`,
        formWithFile('file', 'report.json', JSON.stringify(report), { promote: 'true', async }),
      )
    const restart = async () => {
      await server.kill()
      await forgetLeases(env)
      server = await startProcess({ env })
    }
    const look = async () => {
      const at = `/projects/${project}`
      const totalOf = async (query: string) =>
        Number((await api('GET', `${at}/vulnerabilities?per_page=1${query}`)).total)
      const listed = await api('GET', `${at}/vulnerability_findings?per_page=100`)
      return {
        total: await totalOf(''),
        critical: await totalOf('&severity=critical'),
        gone: await totalOf('&has_resolution=true'),
        listed: listed.json().length,
      }
    }
    /** One request sees one moment; the end of the import may be between two of them, and only once. */
    const lookAtOneMoment = async () => {
      const [one, two] = [await look(), await look()]
      return isDeepStrictEqual(one, two) ? two : look()
    }

    expect((await send(first, 'false')).status).toBe(201)
    expect(await look()).toEqual(before)
    const sent = await send(second, 'true')
    expect(sent.status).toBe(202)
    const importOf = async () => (await api('GET', `/projects/${project}/security_reports/${sent.json().id}`)).json()

    for (const ms of kills) {
      await expect.poll(async () => (await importOf()).status, { ...patiently, interval: 1 }).toBe('running')
      await sleep(ms)
      await restart()
      const seen = await lookAtOneMoment()
      if (!isPromoting(seen)) expect(seen).toEqual(before)
    }
    expect((await importOf()).status).not.toBe('done')
    const promoted = async () => (await importOf()).findings.promoted
    await expect.poll(promoted, { ...patiently, interval: 5 }).toBeGreaterThan(0)
    const promotedBefore = await promoted()
    await restart()
    expect(await promoted()).toBeGreaterThanOrEqual(promotedBefore)
    const total = (await look()).total
    expect(total).toBeGreaterThanOrEqual(before.total + promotedBefore)
    await expect.poll(async () => (await importOf()).status, patiently).toBe('done')
    expect((await importOf()).findings).toMatchObject({
      read: 3000,
      new: 2970,
      known: 30,
      gone: 20,
      changed: 30,
      promoted: 2970,
    })
    expect(await look()).toEqual(after)
    expect((await send(second, 'false')).json().unchanged).toBe(true)

    const requested = await api('POST', `/security/projects/${project}/vulnerability_exports`)
    expect(requested.status).toBe(201)
    const at = `/security/vulnerability_exports/${requested.json().id}`
    await sleep(60)
    await restart()
    expect([200, 202]).toContain((await api('GET', at)).status)
    await expect.poll(async () => (await api('GET', at)).json().status, patiently).toBe('finished')
    const rows = (await api('GET', `${at}/download`)).text.trimEnd().split('\n')
    expect(rows).toHaveLength(1 + after.total)
    expect(await look()).toEqual(after)
    expect(await server.stop()).toMatchObject({ code: 0, stderr: '' })
  },
  400_000,
)

async function emptyPostgres(): Promise<Record<string, string>> {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const database = await createTestDatabase(postgres)
  return { ALCOVE_DATABASE_URL: database.url }
}

/** As a minute does, after which others take what a dead process held. */
async function forgetLeases(env: Record<string, string>): Promise<void> {
  if (!env['ALCOVE_DATABASE_URL']) return
  const { db } = await openDeps(readSettings({ ...env, ALCOVE_LOG_LEVEL: 'silent' }))
  await endAllLeases(db)
  await db.close()
}
