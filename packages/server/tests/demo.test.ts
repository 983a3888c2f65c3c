import { readdir, stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { runProcess, type ServerProcess, startProcess, temporaryFolder } from './process.ts'

const yearMs = 365 * 24 * 60 * 60 * 1000

test('alcove demo serves a year of invented data and writes it once', async () => {
  const folder = await temporaryFolder()
  const command = `demo ${folder}`
  const server = await startProcess({ command, env: { ALCOVE_DATA: folder } })
  await expect.poll(() => server.stdout, { timeout: 200_000 }).toContain('The history is complete.')

  expect(await count(server, '/groups')).toBe(3)
  expect(await count(server, '/projects')).toBe(12)
  expect(await count(server, '/topics')).toBeGreaterThan(9)
  const projects: { id: number; created_at: string }[] = (await get(server, '/projects?per_page=100')).body
  const each = (path: string) => Promise.all(projects.map(({ id }) => count(server, `/projects/${id}/${path}`)))
  expect(sum(await each('vulnerabilities'))).toBeGreaterThan(4_900)
  expect(sum(await each('uploads'))).toBeGreaterThan(30)
  for (const state of ['detected', 'confirmed', 'dismissed', 'resolved']) {
    expect(sum(await each(`vulnerabilities?state=${state}`))).toBeGreaterThan(200)
  }
  expect(await count(server, '/dismissal_requests?side=to_decide')).toBe(4)
  const oldest = Math.min(...projects.map(({ created_at }) => Date.parse(created_at)))
  expect(Date.now() - oldest).toBeGreaterThan(0.95 * yearMs)
  await server.stop()
  expect(await readdir(folder)).not.toContain('demo-is-incomplete')

  const doctor = await runProcess({ command: 'doctor', env: { ALCOVE_DATA: folder } })
  expect(doctor.stdout).toContain('no disagreement')
  const again = await startProcess({ command, env: { ALCOVE_DATA: folder, ALCOVE_BOOTSTRAP_TOKEN: server.token } })
  expect(again.stdout).not.toContain('history')
  expect(await count(again, '/projects')).toBe(12)
})

test('alcove demo removes its temporary folder, also when it stops before the history is complete', async () => {
  const temporary = await temporaryFolder()
  const server = await startProcess({ command: 'demo', env: { TMPDIR: temporary } })
  expect((await stat(temporary)).nlink).toBe(3)
  expect(await server.stop()).toMatchObject({ code: 0 })
  expect((await stat(temporary)).nlink).toBe(2)
})

test('alcove demo starts afresh in a named folder whose history is incomplete', async () => {
  const folder = await temporaryFolder()
  const start = () => startProcess({ command: `demo ${folder}`, env: { ALCOVE_DATA: folder } })
  const first = await start()
  await expect.poll(() => count(first, '/groups'), { timeout: 60_000 }).toBeGreaterThan(0)
  await first.stop()
  expect(await readdir(folder)).toContain('demo-is-incomplete')

  const second = await start()
  expect(second.stdout).toContain('The history in this folder was incomplete. Starting afresh.')
  expect(second.token).not.toBe(first.token)
  await expect.poll(() => second.stdout).toContain('Writing a year of invented history')
  await second.stop()
})

async function get({ url, token }: ServerProcess, path: string) {
  const response = await fetch(`${url}/api/v4${path}`, { headers: { 'PRIVATE-TOKEN': token } })
  expect(response.status).toBe(200)
  return { body: await response.json(), total: Number(response.headers.get('x-total')) }
}

async function count(server: ServerProcess, path: string): Promise<number> {
  return (await get(server, `${path}${path.includes('?') ? '&' : '?'}per_page=1`)).total
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
