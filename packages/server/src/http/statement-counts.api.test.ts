import { AsyncLocalStorage } from 'node:async_hooks'
import sql, { raw } from 'sql-template-tag'
import { expect, test } from 'vitest'
import { formWithFile } from '../testing/client.ts'
import { entry } from '../testing/reports.ts'
import { startServer } from '../testing/server.ts'

/*
 * The number of statements of a read does not depend on the number of its rows. Every request has another URL, so that no
 * response is cached by its URL. `again` finds the result of the first request, `afterWrite` only its rendered rows, because
 * other rows of the same tables have changed. Findings of a short list are read by severity.
 */
test('reads take few statements, also after writes to their tables', async () => {
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
  const [{ id }] = (await admin.get(`/projects/${project.id}/vulnerabilities?per_page=1`)).body
  const [topic] = (await admin.get('/topics?per_page=1')).body

  const at = `/projects/${project.id}`
  const limits: Record<string, { first: number; again: number; afterWrite: number }> = {
    [`/topics/${topic.id}`]: { first: 1, again: 0, afterWrite: 1 },
    '/topics': { first: 2, again: 0, afterWrite: 2 },
    '/topics?search=web': { first: 2, again: 0, afterWrite: 2 },
    // A write to projects also makes the resolved project and its owner outdated.
    [at]: { first: 3, again: 0, afterWrite: 4 },
    '/projects': { first: 2, again: 1, afterWrite: 5 },
    '/projects?topic=web': { first: 3, again: 2, afterWrite: 6 },
    [`${at}/uploads`]: { first: 3, again: 0, afterWrite: 2 },
    [`${at}/vulnerabilities`]: { first: 3, again: 0, afterWrite: 3 },
    [`${at}/vulnerabilities?search=flaw`]: { first: 2, again: 0, afterWrite: 4 },
    // Authorization reads the vulnerability, before and after the input is validated.
    [`/vulnerabilities/${id}`]: { first: 2, again: 2, afterWrite: 3 },
    [`${at}/vulnerability_findings`]: { first: 11, again: 0, afterWrite: 7 },
  }
  const tableOf = (path: string) =>
    ['topics', 'uploads', 'vulnerabilities', 'findings'].find((name) => path.split('?')[0]?.includes(name)) ??
    'projects'
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
    const again = await read(path, 2)
    // Changes no row, but the versions of the tables.
    await server.deps.db.run(sql`update ${raw(tableOf(path))} set id = id where id = 0`)
    counts[path] = { first, again, afterWrite: await read(path, 3) }
  }
  expect(counts).toEqual(limits)
})
