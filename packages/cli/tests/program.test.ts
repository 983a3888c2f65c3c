import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { entry, sastReport } from '../../server/src/testing/reports/reports.ts'
import { startProcess } from '../../server/tests/process.ts'
import { program } from './pipelines.ts'

const token = 'token-of-the-administrator-for-programs'
const timeoutMs = 60_000

/** Runs the installed program until it ends. */
function alcove(args: string[], env: Record<string, string>, cwd = tmpdir()) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd, env: { PATH: process.env['PATH'] ?? '', HOME: cwd, ...env }, timeout: timeoutMs }
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 99) : 0, stdout, stderr })
    })
  })
}

async function folderWithReport(rows: object[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-program-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'report.json'), JSON.stringify(sastReport(rows)))
  return folder
}

test('the built program uploads, fails the gate, and ends with 3 once the server is gone', async () => {
  const server = await startProcess({ env: { ALCOVE_BOOTSTRAP_TOKEN: token } })
  const env = { ALCOVE_URL: server.url, ALCOVE_TOKEN: token }
  await fetch(`${server.url}/api/v4/projects`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'shop' }),
  })
  const cwd = await folderWithReport([entry({ name: 'SQL injection', severity: 'Critical' })])
  const upload = (...args: string[]) =>
    alcove(['upload', '-p', 'root/shop', 'report.json', '--retry', '1', ...args], env, cwd)
  expect(await upload('--fail-on', 'any:critical')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('SQL injection'),
  })
  expect((await upload('--ref', 'feature', '--fail-on', 'new')).code).toBe(0)
  await server.kill()
  expect(await upload('--fail-on', 'new')).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining('does not respond'),
  })
  expect((await upload('--allow-unreachable')).code).toBe(0)
})

test('a server that dies while it receives a report ends the program with 3 in a bounded time', async () => {
  // Accepts the first bytes of each request, then closes the connection without a response.
  const dying = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.destroy())
  })
  await new Promise<void>((resolve) => dying.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void dying.close())
  const address = dying.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const cwd = await folderWithReport([entry()])
  const env = { ALCOVE_URL: `http://127.0.0.1:${port}`, ALCOVE_TOKEN: token }
  const done = await alcove(['upload', '-p', 'shop/api', 'report.json', '--retry', '2'], env, cwd)
  expect(done).toMatchObject({ code: 3, stderr: expect.stringContaining('does not respond') })
})

test('the built program prints its version, its help and its usage errors', async () => {
  expect(await alcove(['--version'], {})).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  const help = await alcove(['--help'], {})
  for (const name of [
    'upload',
    'list',
    'show',
    'dismiss',
    'resolve',
    'export',
    'attach',
    'topics',
    'login',
    'completion',
  ]) {
    expect(help.stdout).toContain(name)
    expect((await alcove([name, '--help'], {})).stdout).toContain(`Usage: alcove ${name}`)
  }
  expect(await alcove(['list', '--nonsense'], {})).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('unknown option'),
  })
})
