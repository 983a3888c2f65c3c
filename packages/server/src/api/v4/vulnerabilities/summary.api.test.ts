import { beforeAll, expect, test } from 'vitest'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let [site, shop] = [] as unknown as [TestProject, TestProject] // made before the tests

const low = { ...usual, severity: 'low' } as const
const many = 10_500

beforeAll(async () => {
  server = await startServer()
  site = await server.project('acme/site')
  shop = await server.project('acme/shop')
  const made: MadeUp[] = Array.from({ length: many }, (_, index) => ({ ...low, id: index + 1, projectId: site.id }))
  const extra = {
    ...low,
    id: many + 1,
    projectId: site.id,
    severity: 'high',
    reportType: 'dast',
    scanner: 'zap',
  } as const
  const branch = { ...low, id: many + 2, projectId: site.id, isOnDefaultBranch: false, refs: ['feature'] }
  await insertMadeUp(server.deps.db, [...made, extra, branch], server.deps.now())
  await insertMadeUp(server.deps.db, [{ ...low, id: many + 3, projectId: shop.id }], server.deps.now())
})

test('the summary has exact counts of any list and the available filter values', async () => {
  const path = `/projects/${site.id}/vulnerabilities/summary`
  const scanners = [
    { external_id: 'semgrep', name: 'semgrep', total: many },
    { external_id: 'zap', name: 'zap', total: 1 },
  ]
  const types = [
    { name: 'sast', total: many },
    { name: 'dast', total: 1 },
  ]
  expect(await server.admin.get(path)).toMatchObject({
    status: 200,
    body: { total: many + 1, scanners, report_types: types },
  })
  const filtered = await server.admin.get(`${path}?scanner=zap&severity=high,low`)
  expect(filtered.body).toMatchObject({ total: 1, scanners, report_types: types })
  expect((await server.admin.get(`${path}?state=dismissed`)).body.total).toBe(0)
  expect((await server.admin.get(`${path}?ref=feature`)).body.total).toBe(1)
  // With so many matches, an exact total would need a test of each row.
  expect((await server.admin.get(`${path}?search=hash`)).body.total).toBeNull()
  expect(await server.admin.get(`${path}?severity=worst`)).toMatchObject({
    status: 400,
    body: { error: 'severity does not have a valid value' },
  })
})

test('the summary of a group contains only what the caller may read in each project', async () => {
  const group = '/groups/acme/vulnerabilities/summary'
  expect((await server.admin.get(group)).body).toMatchObject({
    total: many + 2,
    scanners: [{ external_id: 'semgrep', total: many + 1 }, { external_id: 'zap' }],
  })
  expect((await server.admin.get(`${group}?project_id=${shop.id}`)).body.total).toBe(1)
  const developer = await server.as('developer', shop)
  expect((await developer.get(group)).body).toMatchObject({
    total: 1,
    scanners: [{ external_id: 'semgrep', total: 1 }],
  })
  expect((await developer.get(`/projects/${site.id}/vulnerabilities/summary`)).status).toBe(404)
})

test('the summary of a project requires Developer', async () => {
  const path = `/projects/${shop.id}/vulnerabilities/summary`
  expect((await server.anonymous.get(path)).status).toBe(401)
  expect((await (await server.as('reporter', shop)).get(path)).status).toBe(403)
  expect((await (await server.as('developer', shop)).get(path)).status).toBe(200)
})
