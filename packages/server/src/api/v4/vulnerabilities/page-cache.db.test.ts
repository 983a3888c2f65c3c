import { expect, onTestFinished, test, vi } from 'vitest'
import { projectScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { renderRow } from '../../../http/response/rendered-row.ts'
import { startServer } from '../../../testing/server.ts'
import { openPageCache } from './page-cache.ts'

test('pages of many projects are shared only by callers who read the same projects, and show changes at once', async () => {
  const server = await startServer()
  const { admin } = server
  const [site, shop] = [await server.project('acme/site'), await server.project('acme/shop')]
  for (const { id } of [site, shop]) await admin.put(`/projects/${id}`, { visibility: 'private' })
  const developer = await server.as('developer', site)
  const finding = await server.vulnerability(site, { name: 'SQL injection' })
  await server.vulnerability(shop, { name: 'Weak hash' })
  const paths = ['/groups/acme/vulnerabilities', '/vulnerabilities', '/vulnerabilities?group_by=flaw']
  const titles = async (client: typeof admin) => {
    const replies = await Promise.all(paths.map((path) => client.get(path)))
    return replies.map(({ body }) => (body as { title: string }[]).map(({ title }) => title).sort())
  }

  const both = ['SQL injection', 'Weak hash']
  // The second round reads from the cache.
  for (let times = 0; times < 2; times++) {
    expect(await titles(admin)).toEqual([both, both, both])
    expect(await titles(developer)).toEqual([['SQL injection'], ['SQL injection'], ['SQL injection']])
  }
  const states = async () =>
    ((await developer.get('/vulnerabilities')).body as { state: string }[]).map(({ state }) => state)
  expect(await states()).toEqual(['detected'])
  await admin.post(`/vulnerabilities/${finding.id}/confirm`)
  expect(await states()).toEqual(['confirmed'])

  await admin.put(`/projects/${site.id}`, { path: 'web' })
  const [row] = (await developer.get('/vulnerabilities')).body as { project: { path_with_namespace: string } }[]
  expect(row?.project.path_with_namespace).toBe('acme/web')
})

test('a page without a total is cached for ten seconds, because its list may become short enough to count', async () => {
  const { deps } = await startServer()
  let now = 100_000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  const cachedPage = openPageCache<unknown>(['vulnerabilities'])
  const read = async (key: string, total: number | undefined, keyset?: object) => {
    let loads = 0
    const load = async () => {
      loads++
      return { rows: [renderRow('{}')], total, hasNext: false, next: undefined }
    }
    const page = {
      scope: projectScope(1),
      request: { page: 1, perPage: 20, offset: 0, ...(keyset && { keyset }) },
      key: [key],
      load,
    }
    const loadsNow = []
    for (const passedMs of [0, 9_999, 1]) {
      now += passedMs
      await cachedPage(deps, page)
      loadsNow.push(loads)
    }
    now += 10_000
    return loadsNow
  }
  expect(await read('short', 1)).toEqual([1, 1, 1])
  expect(await read('long', undefined)).toEqual([1, 1, 2])
  expect(await read('by cursor', undefined, {})).toEqual([1, 1, 1])
})
