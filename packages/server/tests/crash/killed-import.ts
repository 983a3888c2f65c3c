import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { formWithFile } from '../../src/testing/client.ts'
import { entry, sastReport } from '../../src/testing/reports/reports.ts'
import { startProcess } from '../process.ts'
import { openApi } from './api.ts'

const token = 'token-of-the-killed-import'
const findings = 8_000

/**
 * Kills the process during one import, more often than a failing job is tried, and then lets the import complete.
 * Throws when the import failed or is incomplete.
 */
export async function killImport(folder: string, kills: number): Promise<Record<string, number>> {
  const env = { ALCOVE_DATA: folder, ALCOVE_BOOTSTRAP_TOKEN: token, ALCOVE_LOG_LEVEL: 'error' }
  let server = await startProcess({ env })
  let api = openApi(server.url, token)
  const { id: project } = await api.send('POST', '/projects', { name: 'killed' })
  const report = sastReport(
    Array.from({ length: findings }, (_, line) => entry({ line: line + 1, name: `Flaw ${line}`, rule: `r${line}` })),
  )
  const form = formWithFile('file', 'report.json', JSON.stringify(report), { async: 'true' })
  const { id } = await api.send('POST', `/projects/${project}/security_reports`, form)
  const state = async () => (await api.send('GET', `/projects/${project}/security_reports/${id}`)).status
  const job = async () => (await api.list('/admin/jobs?kind=import'))[0]

  for (let kill = 0; kill < kills; kill++) {
    while ((await job()).state === 'waiting') endDelay(folder)
    // Each kill comes earlier, so that no run completes.
    await sleep(200 / (kill + 1))
    await server.kill()
    server = await startProcess({ env })
    api = openApi(server.url, token)
  }
  const { interruptions } = await job()
  while (!['done', 'failed'].includes(await state())) endDelay(folder)
  const { status, findings: counts } = await api.send('GET', `/projects/${project}/security_reports/${id}`)
  await server.stop()
  if (status !== 'done' || counts.new !== findings)
    throw new Error(`the import is ${status}: ${JSON.stringify(counts)}`)
  if (interruptions < kills / 2) throw new Error(`only ${interruptions} of ${kills} kills met the running import`)
  return { kills, interruptions, findings }
}

/** Makes a job due that is delayed by minutes because it interrupted its process repeatedly. */
function endDelay(folder: string): void {
  const database = new Sqlite(join(folder, 'alcove.sqlite3'))
  database.exec(`update jobs set run_at = '2026-01-01T00:00:00.000Z' where state = 'waiting' and run_at > '2026-02'`)
  database.close()
}
