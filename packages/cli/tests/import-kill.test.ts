import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startProcess } from '../../server/tests/process.ts'
import { folder } from '../src/testing/command-run.ts'
import { filledSource } from '../src/testing/filled-gitlab-source.ts'
import type { GitlabSource } from '../src/testing/gitlab-source.ts'
import { program } from './pipelines.ts'

const token = 'token-of-the-administrator-for-kills'

test('an import that was killed again and again has the same result as an undisturbed one', {
  timeout: 60_000,
}, async () => {
  const env = { ALCOVE_BOOTSTRAP_TOKEN: token }
  const [source, target, undisturbed] = [await startSource(), await startProcess({ env }), await startProcess({ env })]
  const cwd = await folder()
  expect((await start(source, { url: undisturbed.url, cwd: await folder() }).ended)[0]).toBe(0)
  const expected = await contentOf(undisturbed)
  expect(expected.projects).toHaveLength(3)

  const proxy = await startProxy(target.url)
  const killed = async (arm: (kill: () => void) => void) => {
    const { child, ended } = start(source, { url: proxy.url, cwd })
    arm(() => child.kill('SIGKILL'))
    expect(await ended).toEqual([null, 'SIGKILL'])
  }
  // Before the answer of the source.
  for (const path of ['/projects/12', '/projects/11/uploads/5']) {
    await killed((kill) => source.faults.set(path, kill))
  }
  // After the target has stored something, and before the answer arrives.
  for (const path of [/^POST .*\/members$/, /^POST .*\/uploads\/import$/]) {
    await killed((kill) => proxy.swallow(path, kill))
  }
  expect((await start(source, { url: proxy.url, cwd }).ended)[0]).toBe(0)
  expect(await contentOf(target)).toEqual(expected)
})

/** A source in which every project has a member and a file, so that there is work at each point. */
async function startSource(): Promise<GitlabSource> {
  const source = await filledSource()
  const blocked = { id: 8, username: 'omar', name: 'Omar', state: 'blocked' }
  for (const id of [11, 12, 13]) source.answers.set(`/projects/${id}/members`, [{ ...blocked, access_level: 30 }])
  const upload = { size: 3, filename: 'a.txt', created_at: '2024-02-03T04:05:06.000Z', uploaded_by: blocked }
  for (const id of [12, 13]) {
    source.answers.set(`/projects/${id}/uploads`, [{ id, ...upload }])
    source.answers.set(`/projects/${id}/uploads/${id}`, Buffer.from('abc'))
  }
  return source
}

function start(
  source: GitlabSource,
  { url, cwd }: { url: string; cwd: string },
): { child: ChildProcess; ended: Promise<unknown[]> } {
  const options = ['--from', source.url, '--group', 'shop', '--resume', '--state', join(cwd, 'state.json')]
  const child = spawn(process.execPath, [program, 'import', 'gitlab', ...options], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, ALCOVE_TOKEN: token, ALCOVE_URL: url, GITLAB_TOKEN: 'glpat-source' },
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, ended: once(child, 'exit') }
}

/** Starts a proxy that can keep the answer to a request from its sender. */
async function startProxy(origin: string) {
  let armed: { pattern: RegExp; act: () => void } | undefined
  const server = createServer((request, response) => {
    const { method, url = '', headers } = request
    const sent = forward(`${origin}${url}`, { method, headers }, (answer) => {
      if (armed?.pattern.test(`${method} ${url.replace(/\?.*/, '')}`)) {
        answer.resume()
        armed.act()
        armed = undefined
        return
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    sent.on('error', () => response.destroy())
    request.pipe(sent)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // listens on TCP
    swallow(pattern: RegExp, act: () => void) {
      armed = { pattern, act }
    },
  }
}

/** Everything that was imported, without ids and the times of the import. */
async function contentOf({ url }: { url: string }) {
  const read = async (path: string) =>
    (await fetch(`${url}/api/v4${path}`, { headers: { 'private-token': token } })).json()
  const list = async (path: string, fields: readonly string[]) =>
    (await read(path))
      .map((row: Record<string, unknown>) => fields.map((field) => row[field]))
      .sort((one: unknown[], other: unknown[]) => String(one).localeCompare(String(other)))
  const projects: string[][] = await list('/projects?per_page=100', [
    'path_with_namespace',
    'name',
    'visibility',
    'archived',
  ])
  const contents = await Promise.all(
    projects.map(async ([path = '']) => {
      const base = `/projects/${encodeURIComponent(path)}`
      return [
        await list(`${base}/members`, ['username', 'access_level', 'expires_at']),
        (await read(`${base}/uploads?with_details=true`)).map(
          (upload: { url: string; sha256: string; created_at: string; uploaded_by: { username: string } }) => [
            upload.url.replace(/\/[0-9a-f]{32}\//, '/'),
            upload.sha256,
            upload.created_at,
            upload.uploaded_by.username,
          ],
        ),
      ]
    }),
  )
  return {
    projects,
    contents,
    users: await list('/users?per_page=100', ['username', 'name', 'email', 'state']),
    groups: await list('/groups', ['full_path', 'name']),
    members: await list('/groups/shop/members', ['username', 'access_level']),
    sources: await list('/import_sources', ['kind', 'source_id', 'mirror']),
  }
}
