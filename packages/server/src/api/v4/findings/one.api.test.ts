import { beforeAll, expect, test } from 'vitest'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let project: TestProject
beforeAll(async () => {
  server = await startServer()
  project = await server.project('acme/shop')
})

async function send(entries: object[], fields: Record<string, string> = {}) {
  await server.report(project, entries, { promote: 'false', ...fields })
}

test('GET of a finding returns the same fields as the list, on every ref and after it is absent', async () => {
  const list = `/projects/${project.id}/vulnerability_findings`
  await send([entry({ line: 10 }), entry({ line: 90, rule: 'other' })])
  const [first] = (await server.admin.get(list)).body
  expect((await server.admin.get(`${list}/${first.id}`)).body).toEqual(first)

  await send([entry({ line: 300, rule: 'third' })], { ref: 'feature' })
  const [branch] = (await server.admin.get(`${list}?ref=feature`)).body
  expect((await server.admin.get(`${list}/${branch.id}`)).body).toMatchObject({ uuid: branch.uuid, severity: 'medium' })

  await send([entry({ line: 90, rule: 'other' })])
  expect((await server.admin.get(list)).body).toHaveLength(1)
  expect((await server.admin.get(`${list}/${first.id}`)).body).toMatchObject({ uuid: first.uuid, name: first.name })
})

test('GET of a finding requires Developer and the finding’s own project', async () => {
  const other = await server.project('acme/other')
  const list = `/projects/${project.id}/vulnerability_findings`
  const [finding] = (await server.admin.get(list)).body
  expect(await server.admin.get(`/projects/${other.id}/vulnerability_findings/${finding.id}`)).toMatchObject({
    status: 404,
    body: { message: '404 Finding Not Found' },
  })
  expect((await server.admin.get(`${list}/999999`)).status).toBe(404)
  const reporter = await server.as('reporter', project)
  expect((await reporter.get(`${list}/${finding.id}`)).status).toBe(403)
  const outsider = await server.as('outsider', project)
  expect((await outsider.get(`${list}/${finding.id}`)).status).toBe(404)
})
