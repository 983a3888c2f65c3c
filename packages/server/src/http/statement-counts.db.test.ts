import { AsyncLocalStorage } from 'node:async_hooks'
import sql, { raw } from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, formWithFile } from '../testing/client.ts'
import { entry } from '../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../testing/server.ts'

/* The number of statements of a request does not depend on the number of its rows, nor on the severities of a short list. */
describe('requests take few statements', () => {
  const request = new AsyncLocalStorage<{ statements: number }>()
  let server: TestServer
  /** Values of the statements that read facet counts. */
  const countReads: unknown[][] = []
  let project: TestProject
  let maintainer: Client
  let at: string
  let topicId: number
  let ids: number[]

  beforeAll(async () => {
    server = await startServer({
      observe: ({ text, values }) => {
        if (/^\s*select .* from vulnerability_counts /s.test(text)) countReads.push(values)
        const counted = request.getStore()
        if (counted) counted.statements++
      },
    })
    const { admin } = server
    project = await server.project('acme/site')
    at = `/projects/${project.id}`
    maintainer = await server.as('maintainer', project)
    await maintainer.get(at)
    await admin.put(at, { topics: ['web', 'security'] })
    await server.report(
      project,
      ['Critical', 'High', 'Medium', 'Low', 'Info'].map((severity, line) => entry({ line, rule: severity, severity })),
    )
    await admin.post(`${at}/uploads`, formWithFile('file', 'a.txt', 'content'))
    topicId = (await admin.get('/topics?per_page=1')).body[0].id
    const rows = await server.deps.db.all<{ id: number }>(sql`select id from vulnerabilities order by id`)
    ids = rows.map(({ id }) => id)
  })

  async function countStatements(send: () => Promise<{ status: number; text: string }>): Promise<number> {
    const counted = { statements: 0 }
    const { status, text } = await request.run(counted, send)
    expect([status, text]).toEqual([expect.toSatisfy((status) => status < 300), text])
    return counted.statements
  }

  /** Changes no row, but the versions of the tables. */
  const touch = async (tables: readonly string[]) => {
    for (const table of tables) await server.deps.db.run(sql`update ${raw(table)} set id = id where id = 0`)
  }

  /*
   * Every request has another URL, so that no response is cached by its URL. `again` finds the result of the first
   * request, `afterWrite` only its rendered rows, because other rows of the same tables have changed.
   */
  test('by reads, also after writes to their tables', async () => {
    const limits: Record<string, { first: number; again: number; afterWrite: number }> = {
      // The list in `beforeAll` has already rendered the topic.
      [`/topics/${topicId}`]: { first: 0, again: 0, afterWrite: 1 },
      '/topics': { first: 3, again: 0, afterWrite: 3 },
      '/topics?search=web': { first: 1, again: 0, afterWrite: 2 },
      // A write to projects also makes the resolved project and its owner outdated.
      [at]: { first: 3, again: 0, afterWrite: 4 },
      '/projects': { first: 2, again: 0, afterWrite: 5 },
      '/projects?topic=web': { first: 3, again: 0, afterWrite: 6 },
      [`${at}/uploads`]: { first: 3, again: 0, afterWrite: 2 },
      // The first request also reads the facet counts and renders the rows.
      [`${at}/vulnerabilities`]: { first: 3, again: 0, afterWrite: 2 },
      [`${at}/vulnerabilities?search=Crit`]: { first: 2, again: 0, afterWrite: 3 },
      // Authorization reads the project of the vulnerability. The lists have rendered the row.
      [`/vulnerabilities/${ids[0]}`]: { first: 1, again: 0, afterWrite: 2 },
      // Lists of the same projects share their pages.
      '/groups/acme/vulnerabilities?per_page=50': { first: 5, again: 0, afterWrite: 3 },
      '/vulnerabilities?per_page=50': { first: 1, again: 0, afterWrite: 3 },
      [`${at}/vulnerability_findings`]: { first: 2, again: 0, afterWrite: 2 },
      [`${at}/vulnerability_findings?search=Crit`]: { first: 2, again: 0, afterWrite: 3 },
      '/groups': { first: 4, again: 0, afterWrite: 4 },
      '/groups/acme': { first: 6, again: 0, afterWrite: 6 },
      // The first request also resolves the project again.
      [`${at}/members/all`]: { first: 3, again: 0, afterWrite: 2 },
      // A write to users also invalidates the cached caller.
      '/users': { first: 5, again: 0, afterWrite: 7 },
      '/users/1': { first: 3, again: 0, afterWrite: 5 },
      '/user': { first: 2, again: 0, afterWrite: 4 },
    }
    const tableOf = (path: string) =>
      ['topics', 'uploads', 'vulnerabilities', 'findings', 'members'].find((name) =>
        path.split('?')[0]?.includes(name),
      ) ?? (path.startsWith('/user') ? 'users' : 'projects')
    const counts: typeof limits = {}
    let nonce = 0
    for (const path of Object.keys(limits)) {
      // Lists of several projects refuse unknown parameters.
      const isStrict = path.includes('per_page')
      const url = () => (isStrict ? path : `${path}${path.includes('?') ? '&' : '?'}nonce=${nonce++}`)
      const read = () => countStatements(() => server.admin.get(url()))
      const first = await read()
      const again = await read()
      await touch([tableOf(path)])
      counts[path] = { first, again, afterWrite: await read() }
    }
    expect(counts).toEqual(limits)
  })

  test('by requests that start together after a write, which share what they read', async () => {
    const paths = ['/topics', `/topics/${topicId}`, '/projects', at, '/projects?topic=web', `${at}/vulnerabilities`]
    for (const path of paths) {
      const readTogether = (times: number) =>
        countStatements(async () => {
          const replies = await Promise.all(Array.from({ length: times }, () => server.admin.get(path)))
          return replies[0] ?? { status: 0, text: 'no reply' }
        })
      await readTogether(1)
      await touch(['topics', 'vulnerabilities'])
      const alone = await readTogether(1)
      await touch(['topics', 'vulnerabilities'])
      expect([path, await readTogether(8)]).toEqual([path, alone])
    }
  })

  test('by concurrent requests for different rows, as few as by one request', async () => {
    const projects = [project, await server.project('acme/fifth'), await server.project('acme/sixth')]
    const lists = [ids.map((id) => `/vulnerabilities/${id}`), projects.map(({ id }) => `/projects/${id}`)]
    for (const paths of lists) {
      const read = (some: readonly string[]) =>
        countStatements(async () => {
          await touch(['projects', 'vulnerabilities'])
          const replies = await Promise.all(some.map((path) => server.admin.get(path)))
          return replies.find(({ status }) => status !== 200) ?? { status: 200, text: '' }
        })
      expect([paths, await read(paths)]).toEqual([paths, await read(paths.slice(0, 1))])
    }
  })

  test('by actions on a vulnerability, and by lists whose rows have changed', async () => {
    const act = (id: number | undefined, action: string) =>
      countStatements(() => maintainer.post(`/vulnerabilities/${id}/${action}`, { comment: 'Checked.' }))
    await act(ids[0], 'confirm')
    expect({
      dismiss: await act(ids[1], 'dismiss'),
      confirm: await act(ids[2], 'confirm'),
      revert: await act(ids[0], 'revert'),
      vulnerabilities: await countStatements(() => maintainer.get(`${at}/vulnerabilities`)),
      // Findings with history take two more statements, for history and links.
      findings: await countStatements(() => maintainer.get(`${at}/vulnerability_findings?scope=all`)),
    }).toEqual({ dismiss: 6, confirm: 5, revert: 5, vulnerabilities: 4, findings: 5 })
  })

  test('by lists of a group, which read again the counts of changed projects only', async () => {
    const other = await server.project('acme/third')
    const vulnerability = await server.vulnerability(other)
    const read = () => server.admin.get('/groups/acme/vulnerabilities?per_page=3')
    const total = async () =>
      (await server.admin.get('/groups/acme/vulnerabilities?state=dismissed')).headers['x-total']
    const before = Number(await total())
    await read()
    await server.admin.post(`/vulnerabilities/${vulnerability.id}/dismiss`)
    countReads.length = 0
    await read()
    expect(countReads).toEqual([server.deps.db.dialect.integers([other.id]).values])
    expect(Number(await total())).toBe(before + 1)
  })

  test('by no list of a project after actions in another one', async () => {
    const other = await server.project('acme/other')
    const vulnerability = await server.vulnerability(other)
    const paths = [
      `${at}/vulnerabilities?per_page=7`,
      `${at}/vulnerabilities?search=Crit&per_page=7`,
      `${at}/vulnerability_findings?per_page=7`,
      `${at}/vulnerability_findings?search=Crit&per_page=7`,
    ]
    const read = async () => {
      const counts: number[] = []
      for (const path of paths) counts.push(await countStatements(() => server.admin.get(path)))
      return counts
    }
    await read()
    await server.admin.post(`/vulnerabilities/${vulnerability.id}/dismiss`)
    expect(await read()).toEqual([0, 0, 0, 0])
    await server.report(other, [entry({ line: 70, rule: 'other', severity: 'High' })])
    // The start of an import does not declare its project, and lists of findings show imports.
    expect((await read()).slice(0, 2)).toEqual([0, 0])
    await read()
    await server.admin.post(`/vulnerabilities/${ids[3]}/dismiss`)
    for (const count of await read()) expect(count).toBeGreaterThan(0)
  })
})
