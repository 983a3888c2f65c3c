import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { formWithFile } from '../testing/client.ts'
import { entry } from '../testing/reports.ts'
import { startServer } from '../testing/server.ts'

/*
 * The number of statements of a read does not depend on the number of its rows. Every request has another URL, so that
 * its response is not cached; later ones find its rows rendered. Findings of a short list are read by severity.
 */
test('reads take few statements, whether or not their rows were rendered before', async () => {
  const request = new AsyncLocalStorage<{ statements: number }>()
  const server = await startServer({
    observe: () => {
      const counted = request.getStore()
      if (counted) counted.statements++
    },
  })
  const { admin } = server
  const project = await server.project('acme/site')
  await admin.put(`/projects/${project.id}`, { topics: ['web', 'security'] })
  await server.report(
    project,
    [1, 2, 3, 4, 5].map((line) => entry({ line, rule: `r${line}` })),
  )
  await admin.post(`/projects/${project.id}/uploads`, formWithFile('file', 'a.txt', 'content'))
  const [{ id }] = (await admin.get(`/projects/${project.id}/vulnerabilities`)).body
  const [topic] = (await admin.get('/topics')).body

  const at = `/projects/${project.id}`
  const limits: Record<string, { first: number; later: number }> = {
    [`/topics/${topic.id}`]: { first: 1, later: 1 },
    '/topics': { first: 1, later: 1 },
    '/topics?search=web': { first: 2, later: 1 },
    [at]: { first: 3, later: 0 },
    '/projects': { first: 2, later: 1 },
    '/projects?topic=web': { first: 3, later: 2 },
    [`${at}/uploads`]: { first: 2, later: 1 },
    [`${at}/vulnerabilities`]: { first: 1, later: 1 },
    [`${at}/vulnerabilities?search=flaw`]: { first: 2, later: 0 },
    // Authorization reads the vulnerability, before and after the input is validated.
    [`/vulnerabilities/${id}`]: { first: 2, later: 2 },
    [`${at}/vulnerability_findings`]: { first: 11, later: 6 },
  }
  const counts: typeof limits = {}
  const read = async (path: string, nonce: number) => {
    const counted = { statements: 0 }
    const { status } = await request.run(counted, () =>
      admin.get(`${path}${path.includes('?') ? '&' : '?'}nonce=${nonce}`),
    )
    expect([path, status]).toEqual([path, 200])
    return counted.statements
  }
  for (const path of Object.keys(limits)) {
    const first = await read(path, 1)
    await read(path, 2)
    counts[path] = { first, later: await read(path, 3) }
  }
  expect(counts).toEqual(limits)
})
