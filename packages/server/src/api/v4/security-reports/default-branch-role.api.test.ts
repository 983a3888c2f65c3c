import { describe, expect, test } from 'vitest'
import { type Client, createClient, formWithFile } from '../../../testing/client.ts'
import { keepReport, runImport } from '../../../testing/reports/imports.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer } from '../../../testing/server.ts'

const report = sastReport([entry({ name: 'flaw', line: 1 })])
const refusal = {
  status: 403,
  body: { message: expect.stringContaining('Reports for the default branch main require the role Maintainer') },
}

/** A project whose default branch only maintainers may report for. */
async function world() {
  const server = await startServer()
  const project = await server.project('acme/site')
  const at = `/projects/${project.id}`
  const setRole = async (role: string) =>
    expect(await server.admin.put(at, { default_branch_report_role: role })).toMatchObject({
      status: 200,
      body: { default_branch_report_role: role },
    })
  await setRole('maintainer')
  const send = (client: Client, fields: Record<string, string> = {}) =>
    client.post(`${at}/security_reports`, formWithFile('file', 'report.json', JSON.stringify(report), fields))
  const issue = async (path: string, draft: object) => {
    const { body } = await server.admin.post(`${path}/access_tokens`, { name: 'pipeline', access_level: 30, ...draft })
    return createClient(server.app, { token: body.token })
  }
  return { server, project, at, setRole, send, issue }
}

describe('a project whose default branch requires Maintainer', () => {
  test('refuses a report of a Developer for that branch, also as a dry run and with a narrow token', async () => {
    const { server, project, at, send } = await world()
    const developer = await server.as('developer', project)
    const narrow = await server.client(developer, { scopes: ['write_security_reports'] })
    for (const client of [developer, narrow]) {
      expect(await send(client)).toMatchObject(refusal)
      expect(await send(client, { ref: 'main' })).toMatchObject(refusal)
      expect(await send(client, { ref: 'main', dry_run: 'true' })).toMatchObject(refusal)
      expect((await send(client, { ref: 'feature' })).status).toBe(201)
    }
    expect((await server.admin.get(`${at}/security_reports?ref=main`)).body).toEqual([])
  })

  test('accepts reports of maintainers, administrators and access tokens for reports', async () => {
    const { server, project, at, send, issue } = await world()
    expect((await send(await server.as('maintainer', project))).status).toBe(201)
    expect((await send(server.admin)).status).toBe(201)
    expect((await send(await issue(at, { scopes: ['write_security_reports'] }))).status).toBe(201)
    const group = `/groups/${project.namespace.id}`
    expect((await send(await issue(group, { scopes: ['write_security_reports'] }))).status).toBe(201)
    expect(await send(await issue(at, { scopes: ['api'] }))).toMatchObject(refusal)
    expect((await send(await issue(at, { scopes: ['api'], access_level: 40 }))).status).toBe(201)
  })

  test('fails a queued report whose sender has become a Developer, but not one of an access token', async () => {
    const { server, project, at, setRole, send, issue } = await world()
    const maintainer = await server.as('maintainer', project)
    const queued = await keepReport(server, project, report, {}, maintainer)
    await server.admin.put(`${at}/members/${maintainer.user?.id}`, { access_level: 30 })
    await runImport(server, queued)
    expect((await server.admin.get(`${at}/security_reports/${queued}`)).body).toMatchObject({
      status: 'failed',
      errors: [{ type: 'forbidden', message: refusal.body.message }],
    })

    await setRole('developer')
    const bot = await issue(at, { scopes: ['write_security_reports'] })
    const early = await keepReport(server, project, report, {}, maintainer)
    const ofBot = await keepReport(server, project, report, { ref: 'release' }, bot)
    await setRole('maintainer')
    await server.admin.put(at, { default_branch: 'release' })
    for (const id of [early, ofBot]) await runImport(server, id)
    const statusOf = async (id: number) => (await server.admin.get(`${at}/security_reports/${id}`)).body.status
    // The first one reports for a branch that is no longer the default branch.
    expect([await statusOf(early), await statusOf(ofBot)]).toEqual(['done', 'done'])
    expect((await send(maintainer, { ref: 'main' })).status).toBe(201)
    expect((await send(maintainer, { ref: 'release' })).status).toBe(403)
  })
})

test('a project lets Developers report for the default branch unless it says otherwise, and knows two roles', async () => {
  const { server, project, at, setRole, send } = await world()
  const created = await server.admin.post('/projects', { name: 'fresh' })
  expect(created.body).toMatchObject({ default_branch_report_role: 'developer' })
  const maintainer = await server.as('maintainer', project)
  expect(await maintainer.put(at, { default_branch_report_role: 'guest' })).toMatchObject({
    status: 400,
    body: { error: 'default_branch_report_role does not have a valid value' },
  })
  const developer = await server.as('developer', project)
  expect((await developer.put(at, { default_branch_report_role: 'developer' })).status).toBe(403)
  await setRole('developer')
  expect((await send(developer)).status).toBe(201)
})
