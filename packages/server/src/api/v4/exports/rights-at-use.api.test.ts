import { expect, test } from 'vitest'
import { promotionKind } from '../../../domain/vulnerabilities/promotion/bulk-promotion.ts'
import { jobKinds } from '../../../jobs.ts'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { keepReport, runImport, runInSteps, showImport, withoutJob } from '../../../testing/reports/imports.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

/** More findings than one transaction promotes. */
const many = 630
const report = (count = 1) => sastReport(Array.from({ length: count }, (_, index) => entry({ line: index + 1 })))

const send = (client: Client, project: TestProject, fields: Record<string, string> = {}, count = 1) =>
  client.post(
    `/projects/${project.id}/security_reports`,
    formWithFile('file', 'report.json', JSON.stringify(report(count)), fields),
  )

const setRole = (server: TestServer, project: TestProject, client: Client, level: number) =>
  server.admin.put(`/projects/${project.id}/members/${client.user?.id}`, { access_level: level })
const removeMember = (server: TestServer, project: TestProject, client: Client) =>
  server.admin.delete(`/projects/${project.id}/members/${client.user?.id}`)

const exportFile = async (server: TestServer, client: Client, of = '') => {
  const requested = await client.post(`/security${of}/vulnerability_exports`, { export_format: 'json' })
  expect(requested.status).toBe(201)
  await server.runJobs()
  return requested.body.id
}
const readExport = (client: Client, id: number) => client.get(`/security/vulnerability_exports/${id}`)
const download = (client: Client, id: number) => client.get(`/security/vulnerability_exports/${id}/download`)
const refusal = '403 Forbidden - You may no longer read everything in this export. Create a new one.'

const importOf = async (server: TestServer, project: TestProject, id: number) =>
  (await server.admin.get(`/projects/${project.id}/security_reports/${id}`)).body
const countOf = async (server: TestServer, project: TestProject, list: string) =>
  (await server.admin.get(`/projects/${project.id}/${list}?per_page=1`)).body.length

test('every kind of job that acts for a user has its permissions tested below', () => {
  // The rights of mail, bulk changes and issues of trackers are tested beside their jobs and routes. `audit-stream`,
  // `due-dates`, `flaw-aliases`, `flaw-keys`, `package-urls`, `password-request`, `ref`, `tracker-issue-sync`,
  // `tracker-sync`, `transferred-flaws`, `upload-scan`, `upload-scan-all`, `vulnerability-rules` and `webhook` act for no
  // user.
  expect(jobKinds.map(({ kind }) => kind).sort()).toEqual([
    'audit-stream',
    'bulk-change',
    'due-dates',
    'export',
    'flaw-aliases',
    'flaw-keys',
    'import',
    'mail',
    'package-urls',
    'password-request',
    'promotion',
    'ref',
    'tracker-issue',
    'tracker-issue-sync',
    'tracker-sync',
    'transferred-flaws',
    'upload-scan',
    'upload-scan-all',
    'vulnerability-rules',
    'webhook',
  ])
})

test('an export by an administrator’s token without admin mode contains only what that token may read', async () => {
  const server = await startServer({ settings: { adminMode: true } })
  const project = await server.project('acme/hidden')
  await send(server.admin, project, { promote: 'true' })
  const other = await server.user('chief', { admin: true })

  expect(await other.get(`/projects/${project.id}`)).toMatchObject({ status: 404 })
  const id = await exportFile(server, other)
  expect(await download(other, id)).toMatchObject({ status: 200, body: [] })

  const elevated = await server.client(other, { scopes: ['api', 'admin_mode'] })
  const whole = await exportFile(server, elevated)
  expect((await download(elevated, whole)).text).toContain('"title":"Flaw"')
  expect(await download(other, whole)).toMatchObject({ status: 403, body: { message: refusal } })
})

test('an export of the instance can no longer be downloaded after its author loses access to one of its projects', async () => {
  const server = await startServer()
  const [one, two] = [await server.project('acme/one'), await server.project('acme/two')]
  const maintainer = await server.as('maintainer', one)
  await server.admin.post(`/projects/${two.id}/members`, { user_id: maintainer.user?.id, access_level: 30 })
  await send(server.admin, one, { promote: 'true' })
  const id = await exportFile(server, maintainer)
  expect((await download(maintainer, id)).text).toContain('"title":"Flaw"')

  await setRole(server, one, maintainer, 10)
  for (const request of [readExport, download]) {
    expect(await request(maintainer, id)).toMatchObject({ status: 403, body: { message: refusal } })
  }
  await setRole(server, one, maintainer, 30)
  expect(await download(maintainer, id)).toMatchObject({ status: 200 })
  await removeMember(server, one, maintainer)
  expect(await download(maintainer, id)).toMatchObject({ status: 403 })
})

test('an export with administrator rights cannot be downloaded by a former administrator', async () => {
  const server = await startServer()
  await server.project('acme/site')
  const chief = await server.user('chief', { admin: true })
  const id = await exportFile(server, chief)
  expect(await download(chief, id)).toMatchObject({ status: 200 })
  await server.admin.put(`/users/${chief.user?.id}`, { admin: false })
  expect(await download(chief, id)).toMatchObject({ status: 403, body: { message: refusal } })
})

test('an export of a group can no longer be downloaded after one of its projects leaves the group', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  await server.project('other/place')
  const developer = await server.user('dev')
  await server.admin.post(`/groups/acme/members`, { user_id: developer.user?.id, access_level: 30 })
  await send(server.admin, project, { promote: 'true' })
  const id = await exportFile(server, developer, '/groups/acme')
  expect(await download(developer, id)).toMatchObject({ status: 200 })
  expect((await server.admin.put(`/projects/${project.id}/transfer`, { namespace: 'other' })).status).toBe(200)
  expect(await download(developer, id)).toMatchObject({ status: 403, body: { message: refusal } })
})

test.each(['demoted', 'removed', 'blocked'])(
  'an export fails when its author is %s before it is written',
  async (how) => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const developer = await server.as('developer', project)
    await server.admin.post('/groups/acme/members', { user_id: developer.user?.id, access_level: 10 })
    await send(server.admin, project, { promote: 'true' })
    const requested = await developer.post(`/security/projects/${project.id}/vulnerability_exports`)
    if (how === 'demoted') await setRole(server, project, developer, 20)
    if (how === 'removed') await removeMember(server, project, developer)
    if (how === 'blocked') await server.admin.post(`/users/${developer.user?.id}/block`)
    await server.runJobs()
    if (how === 'blocked') await server.admin.post(`/users/${developer.user?.id}/unblock`)
    else await server.admin.post(`/projects/${project.id}/members`, { user_id: developer.user?.id, access_level: 30 })
    if (how === 'demoted') await setRole(server, project, developer, 30)
    expect((await readExport(developer, requested.body.id)).body).toMatchObject({ status: 'failed' })
  },
)

test.each(['demoted', 'removed', 'blocked', 'deleted'])(
  'a report changes nothing when its sender is %s before the import',
  async (how) => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const developer = await server.as('developer', project)
    const id = await keepReport(server, project, report(), {}, developer)
    if (how === 'demoted') await setRole(server, project, developer, 20)
    if (how === 'removed') await removeMember(server, project, developer)
    if (how === 'blocked') await server.admin.post(`/users/${developer.user?.id}/block`)
    if (how === 'deleted') await server.admin.delete(`/users/${developer.user?.id}`)
    await runImport(server, id)
    expect(await importOf(server, project, id)).toMatchObject({
      status: 'failed',
      errors: [
        { type: 'forbidden', message: 'The user who sent the report may no longer import reports into this project.' },
      ],
    })
    expect(await countOf(server, project, 'vulnerability_findings')).toBe(0)
  },
)

test('a report changes nothing when its project is archived before the import', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const id = await keepReport(server, project, report())
  await server.admin.post(`/projects/${project.id}/archive`)
  await runImport(server, id)
  expect(await importOf(server, project, id)).toMatchObject({ status: 'failed', errors: [{ type: 'forbidden' }] })
})

test('a report sent by an administrator in admin mode is imported with administrator rights', async () => {
  const server = await startServer({ settings: { adminMode: true } })
  const project = await server.project('acme/site')
  const chief = await server.user('chief', { admin: true })
  const elevated = await server.client(chief, { scopes: ['api', 'admin_mode'] })
  const id = await keepReport(server, project, report(), { promote: 'true' }, elevated)
  await runImport(server, id)
  expect(await importOf(server, project, id)).toMatchObject({ status: 'done', findings: { promoted: 1 } })
})

test('a report with promote=true fails when its sender may no longer promote findings', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const maintainer = await server.as('maintainer', project)
  const id = await keepReport(server, project, report(), { promote: 'true' }, maintainer)
  await setRole(server, project, maintainer, 30)
  await runImport(server, id)
  expect(await importOf(server, project, id)).toMatchObject({
    status: 'failed',
    errors: [{ message: 'The user who sent the report with promote=true may no longer promote findings.' }],
  })
  expect(await countOf(server, project, 'vulnerability_findings')).toBe(0)
})

test('the promotion after an import stops when its sender may no longer promote findings', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const maintainer = await server.as('maintainer', project)
  const id = await keepReport(server, project, report(many), { promote: 'true' }, maintainer)
  await showImport(server, id)
  await setRole(server, project, maintainer, 30)
  await runImport(server, id)
  expect(await importOf(server, project, id)).toMatchObject({
    status: 'done',
    findings: { new: many, promoted: 0 },
    warnings: [{ type: 'forbidden' }],
  })
  expect(await countOf(server, project, 'vulnerabilities')).toBe(0)
})

test('a bulk promotion stops when its author may no longer promote findings', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const maintainer = await server.as('maintainer', project)
  await send(server.admin, project, {}, many)
  const path = `/projects/${project.id}/vulnerability_findings/bulk`
  const job = { kind: 'promotion', key: `promotion:${project.id}` }
  const { body } = await withoutJob(server, job, () =>
    maintainer.post(path, { action: 'promote', filter: {}, async: true }),
  )
  const run = (steps?: number) => runInSteps(server, promotionKind, { promotionId: body.id }, steps)
  await expect(run(2)).rejects.toThrow('killed')
  await setRole(server, project, maintainer, 30)
  await run()
  expect((await server.admin.get(`${path}/${body.id}`)).body).toMatchObject({ status: 'failed', promoted: 200 })
  expect((await server.admin.get(`/projects/${project.id}/vulnerability_statistics`)).body.total).toBe(200)
})

test.each(['false', 'true'])(
  'promote=true requires the permission to promote findings, with dry_run=%s',
  async (dryRun) => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const developer = await server.as('developer', project)
    const message =
      '403 Forbidden - promote=true requires the right to promote findings (role Maintainer). Send the report without it.'
    expect(await send(developer, project, { promote: 'true', dry_run: dryRun })).toMatchObject({
      status: 403,
      body: { message },
    })
    expect(await countOf(server, project, 'vulnerability_findings')).toBe(0)
    expect(await countOf(server, project, 'security_reports')).toBe(0)
    const maintainer = await server.as('maintainer', project)
    expect(await send(maintainer, project, { promote: 'true', dry_run: dryRun })).toMatchObject({
      status: 201,
      body: { findings: { promoted: 1 } },
    })
  },
)

test('developers may send promote=true when the operator allows them to triage', async () => {
  const server = await startServer({ settings: { triageRole: 'developer' } })
  const project = await server.project('acme/site')
  const developer = await server.as('developer', project)
  expect(await send(developer, project, { promote: 'true' })).toMatchObject({ body: { findings: { promoted: 1 } } })
})

test('a developer’s report is promoted in a project with promote_vulnerabilities_on_ingestion', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const developer = await server.as('developer', project)
  await server.admin.put(`/projects/${project.id}`, { promote_vulnerabilities_on_ingestion: true })
  expect(await send(developer, project)).toMatchObject({ status: 201, body: { findings: { promoted: 1 } } })
})
