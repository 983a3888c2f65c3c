import { expect, test } from 'vitest'
import { formWithFile } from '../../../testing/client.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer } from '../../../testing/server.ts'

const server = await startServer()
const message = '403 Forbidden - The project is archived. Unarchive it to make changes.'

/** Creates an archived project with a file, a hook, two vulnerabilities and one unpromoted finding. */
async function archived() {
  const project = await server.project(`acme/old-${++projects}`)
  const path = `/projects/${project.id}`
  const owner = await server.as('owner', project)
  const upload = await owner.post(`${path}/uploads`, formWithFile('file', 'a.txt', 'a'))
  const hook = await owner.post(`${path}/hooks`, { url: 'https://hooks.example.com' })
  const report = JSON.stringify(sastReport([entry({ line: 1 }), entry({ line: 2 }), entry({ line: 3 })]))
  await owner.post(`${path}/security_reports`, formWithFile('file', 'report.json', report))
  const { body: findings } = await owner.get(`${path}/vulnerability_findings`)
  const vulnerability = await owner.post(`${path}/vulnerabilities`, { finding_id: findings[0].id })
  expect((await owner.post(`${path}/archive`)).status).toBe(201)
  return {
    path,
    owner,
    upload: upload.body,
    hook: hook.body,
    report,
    finding: findings[1],
    vulnerability: vulnerability.body,
  }
}
let projects = 0

test('an archived project is read-only', async () => {
  const { path, owner, upload, hook, report, finding, vulnerability } = await archived()
  const writes = [
    () => owner.post(`${path}/uploads`, formWithFile('file', 'b.txt', 'b')),
    () => owner.delete(`${path}/uploads/${upload.id}`),
    () => owner.post(`${path}/security_reports`, formWithFile('file', 'report.json', report)),
    () => owner.post(`${path}/security_reports`, formWithFile('file', 'report.json', report, { dry_run: 'true' })),
    () => owner.post(`${path}/vulnerabilities`, { finding_id: finding.id }),
    () => owner.post(`${path}/vulnerability_findings/bulk`, { action: 'promote', finding_ids: [finding.id] }),
    () => owner.post(`/vulnerabilities/${vulnerability.id}/confirm`),
    () => owner.post(`/vulnerabilities/${vulnerability.id}/dismiss`, { comment: 'old' }),
    () => owner.put(`/vulnerabilities/${vulnerability.id}/severity`, { severity: 'low' }),
    () => owner.post(`${path}/vulnerabilities/bulk`, { action: 'resolve', vulnerability_ids: [vulnerability.id] }),
    () => owner.post(`${path}/vulnerabilities/${vulnerability.id}/notes`, { body: 'a note' }),
    () => owner.post(`${path}/hooks`, { url: 'https://other.example.com' }),
    () => owner.put(`${path}/hooks/${hook.id}`, { name: 'other' }),
    () => owner.delete(`${path}/hooks/${hook.id}`),
    () => owner.put(path, { topics: ['new'] }),
    () => owner.put(path, { description: 'new' }),
    () => server.admin.put(path, { description: 'new' }),
  ]
  for (const write of writes) expect(await write()).toMatchObject({ status: 403, body: { message } })

  expect((await owner.get(path)).body).toMatchObject({ archived: true, topics: [], description: null })
  expect((await owner.get(`/vulnerabilities/${vulnerability.id}`)).body).toEqual({
    ...vulnerability,
    project_archived: true,
  })
  expect((await owner.get(`${path}/uploads`)).body).toHaveLength(1)
  expect((await owner.get(`${path}/hooks`)).body).toEqual([hook])
  expect((await owner.get(`${path}/security_reports`)).body).toHaveLength(1)
})

test('an archived project can be read, exported, starred, left, unarchived and deleted', async () => {
  const { path, owner, upload } = await archived()
  expect(await owner.get(`${path}/uploads/${upload.id}`)).toMatchObject({ status: 200, text: 'a' })
  expect((await owner.post(`/security${path}/vulnerability_exports`)).status).toBe(201)
  expect((await owner.post(`${path}/star`)).status).toBe(201)
  const guest = await server.user(`guest-${projects}`)
  expect((await owner.post(`${path}/members`, { user_id: guest.user?.id, access_level: 10 })).status).toBe(201)
  expect((await guest.delete(`${path}/members/${guest.user?.id}`)).status).toBe(204)

  expect((await owner.post(`${path}/unarchive`)).body).toMatchObject({ archived: false })
  expect((await owner.put(path, { topics: ['new'] })).body).toMatchObject({ topics: ['new'] })
  await owner.post(`${path}/archive`)
  expect((await owner.delete(path)).status).toBe(202)
  expect((await owner.get(path)).status).toBe(404)
})

test('a caller who may not change a project gets 403 and does not learn that it is archived', async () => {
  const { path } = await archived()
  const guest = await server.user(`reader-${projects}`)
  await server.admin.post(`${path}/members`, { user_id: guest.user?.id, access_level: 10 })
  expect(await guest.put(path, { description: 'x' })).toMatchObject({
    status: 403,
    body: { message: '403 Forbidden' },
  })
})
