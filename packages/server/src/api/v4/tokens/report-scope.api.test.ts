import { expect, test } from 'vitest'
import { permissions } from '../../../domain/access/permissions.ts'
import { errorResponse } from '../../../http/errors.ts'
import { routes } from '../../../routes.ts'
import { createClient, formWithFile } from '../../../testing/client.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer } from '../../../testing/server.ts'
import { createGuard } from '../guard.ts'

const server = await startServer()
const project = await server.project('acme/site')
const developer = await server.as('maintainer', project)
const sender = await server.client(developer, { scopes: ['write_security_reports'] })
const path = `/projects/${project.id}/security_reports`
const report = (fields: Record<string, string> = {}) =>
  formWithFile('file', 'report.json', JSON.stringify(sastReport([entry({ name: 'flaw', line: 1 })])), fields)

test('write_security_reports opens only the sending of reports, of all routes that require a scope', async () => {
  const guard = createGuard(server.deps)
  const opened: string[] = []
  for (const { method, path, permission } of routes) {
    if (permissions[permission].scope === 'none') continue
    const credentials = {
      token: sender.token ?? '',
      address: '127.0.0.1',
      isLocal: false,
      isReading: method === 'GET',
    }
    const refusal = await guard.authenticate(permission, credentials).then(
      () => undefined,
      (error: unknown) => errorResponse(error).status,
    )
    if (refusal === undefined) opened.push(`${method} ${path}`)
    else expect(refusal).toBe(403)
  }
  expect(opened).toEqual(['POST /projects/:id/security_reports', 'GET /projects/:id/security_reports/:report_id'])
})

test('write_security_reports imports a report and reads that import, but no import of others', async () => {
  const sent = await sender.post(path, report())
  expect(sent).toMatchObject({ status: 201, body: { status: 'done', findings: { new: 1 } } })
  expect((await sender.get(`${path}/${sent.body.id}`)).body).toMatchObject({ id: sent.body.id, status: 'done' })
  const other = await server.report(project, [])
  expect((await sender.get(`${path}/${other.id}`)).status).toBe(404)
  expect((await developer.get(`${path}/${other.id}`)).status).toBe(200)
})

test('write_security_reports does not promote on request, nor reach projects of others', async () => {
  expect(await sender.post(path, report({ promote: 'true' }))).toMatchObject({
    status: 403,
    body: { error: 'insufficient_scope', scope: 'api' },
  })
  expect(await sender.post(path, report({ promote: 'true', dry_run: 'true' }))).toMatchObject({ status: 403 })
  const hidden = await server.project('other/site')
  expect((await sender.post(`/projects/${hidden.id}/security_reports`, report())).status).toBe(404)
})

test('write_security_reports does not write to an archived project', async () => {
  const archived = await server.project('acme/archived')
  const created = await server.admin.post(`/projects/${archived.id}/access_tokens`, {
    name: 'pipeline',
    scopes: ['write_security_reports'],
  })
  const bot = createClient(server.app, { token: created.body.token })
  const send = () => bot.post(`/projects/${archived.id}/security_reports`, report())
  const sent = await send()
  expect(sent.status).toBe(201)
  await server.admin.post(`/projects/${archived.id}/archive`)
  expect((await send()).status).toBe(403)
  expect((await bot.get(`/projects/${archived.id}/security_reports/${sent.body.id}`)).status).toBe(200)
})

test('write_security_reports cannot be exchanged for another scope', async () => {
  expect((await sender.post('/personal_access_tokens/self/rotate')).status).toBe(403)
  const draft = { name: 'x', scopes: ['api'] }
  expect((await sender.post('//-/personal_access_tokens', draft)).status).toBe(403)
  expect((await sender.post(`/projects/${project.id}/access_tokens`, draft)).status).toBe(403)
})
