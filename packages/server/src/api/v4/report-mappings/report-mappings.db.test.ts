import { beforeAll, describe, expect, test } from 'vitest'
import { newestEvents } from '../../../testing/audit-events.ts'
import { formWithFile } from '../../../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
async function fresh() {
  const project = await server.project(`mappings-${++projects}/site`)
  const groupPath = `/groups/${project['namespace'].id}/report_mappings`
  return { project, groupPath, path: `/projects/${project.id}/report_mappings` }
}

const mapping = { title: 'Issue', severity: 'Risk', severities: { severe: 'critical' } }
const table = 'Issue;Risk\nBroken lock;Severe\n'

async function send(project: TestProject, name: string) {
  const form = formWithFile('file', 'report.csv', table, { mapping: name })
  return server.admin.post(`/projects/${project.id}/security_reports?promote=true`, form)
}

describe('a stored mapping of generic reports', () => {
  test('is created, changed and deleted by maintainers, with audit events, and read by developers', async () => {
    const { project, path } = await fresh()
    const [developer, maintainer] = [await server.as('developer', project), await server.as('maintainer', project)]
    expect((await developer.post(path, { name: 'pentest', mapping })).status).toBe(403)
    const created = await maintainer.post(path, { name: ' pentest ', mapping })
    expect(created).toMatchObject({ status: 201, body: { name: 'pentest', mapping, project_id: project.id } })
    expect((await newestEvents(server))[0]).toMatchObject({ name: 'report_mapping_created', entityId: project.id })
    const one = `${path}/${created.body.id}`
    expect((await developer.get(path)).body).toEqual([created.body])
    expect((await developer.get(one)).body).toEqual(created.body)
    expect((await maintainer.put(one, { name: 'audit' })).body).toMatchObject({ name: 'audit', mapping })
    expect((await newestEvents(server))[0]).toMatchObject({ name: 'report_mapping_updated' })
    const elsewhere = await fresh()
    expect((await server.admin.get(`${elsewhere.path}/${created.body.id}`)).status).toBe(404)
    expect((await developer.delete(one)).status).toBe(403)
    expect((await maintainer.delete(one)).status).toBe(204)
    expect((await newestEvents(server))[0]).toMatchObject({ name: 'report_mapping_destroyed' })
    expect((await maintainer.get(one)).status).toBe(404)
  })

  test('has a name of its own in its place and fields that reports have', async () => {
    const { path, groupPath } = await fresh()
    const { body } = await server.admin.post(path, { name: 'pentest', mapping })
    await server.admin.post(path, { name: 'audit', mapping })
    const refused = async (reply: Promise<{ status: number; body: { message: object }; text: string }>) => {
      const { status, text, body } = await reply
      expect(status, text).toBe(400)
      return body.message
    }
    expect(await refused(server.admin.post(path, { name: 'pentest', mapping }))).toEqual({
      name: ['has already been taken'],
    })
    expect(await refused(server.admin.put(`${path}/${body.id}`, { name: 'audit' }))).toEqual({
      name: ['has already been taken'],
    })
    expect(await refused(server.admin.post(path, { name: '{x', mapping }))).toEqual({ name: ['must not begin with {'] })
    expect(await refused(server.admin.post(path, { name: 'x', mapping: { colour: 'Red' } }))).toEqual({
      mapping: [expect.stringContaining('has the unknown field "colour"')],
    })
    expect((await server.admin.post(groupPath, { name: 'pentest', mapping })).status).toBe(201)
  })

  test('reads a report that names it, from the project or the closest group above', async () => {
    const { project, path, groupPath } = await fresh()
    expect(await send(project, 'pentest')).toMatchObject({
      status: 400,
      body: { message: { mapping: [expect.stringContaining('names no mapping of this project')] } },
    })
    const ofGroup = { ...mapping, severities: { severe: 'low' } }
    expect((await server.admin.post(groupPath, { name: 'pentest', mapping: ofGroup })).status).toBe(201)
    const severities = async () => {
      const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities`)
      return body.map(({ title, severity }: { title: string; severity: string }) => [title, severity])
    }
    const first = await send(project, 'pentest')
    expect(first.status, first.text).toBeLessThan(300)
    expect(await severities()).toEqual([['Broken lock', 'low']])
    await server.admin.post(groupPath, { name: 'audit', mapping })
    await server.admin.post(path, { name: 'pentest', mapping })
    const namesOf = async (query: string) =>
      (await server.admin.get(`${path}${query}`)).body.map((one: { name: string; group_id: number | null }) => [
        one.name,
        one.group_id !== null,
      ])
    expect(await namesOf('')).toEqual([['pentest', false]])
    expect(await namesOf('?include_ancestors=true')).toEqual([
      ['pentest', false],
      ['pentest', true],
      ['audit', true],
    ])
    const second = await send(project, 'pentest')
    expect(second.status, second.text).toBeLessThan(300)
    expect(await severities()).toEqual([['Broken lock', 'critical']])
  })
})
