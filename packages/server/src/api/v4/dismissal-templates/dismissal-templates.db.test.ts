import { beforeAll, describe, expect, test } from 'vitest'
import { newestEvents } from '../../../testing/audit-events.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
async function fresh() {
  const project = await server.project(`templates-${++projects}/site`)
  const groupId = project['namespace'].id
  return {
    project,
    groupId,
    path: `/projects/${project.id}/dismissal_templates`,
    groupPath: `/groups/${groupId}/dismissal_templates`,
  }
}

const instancePath = '/admin/dismissal_templates'
const draft = { name: 'Only in tests', dismissal_reason: 'used_in_tests' }
const full = { ...draft, comment: 'Not part of a release.', until_days: 90, until_fixed: true }

describe('a dismissal template', () => {
  test('is created, changed and deleted, with audit events', async () => {
    const { project, path } = await fresh()
    const maintainer = await server.as('maintainer', project)
    const created = await maintainer.post(path, { ...full, name: ' Only in tests ' })
    const own = { level: 'project', project_id: project.id, group_id: null }
    expect(created).toMatchObject({ status: 201, body: { ...own, ...full } })
    const recorded = { entityId: project.id, details: { target_details: 'Only in tests' } }
    expect((await newestEvents(server))[0]).toMatchObject({ name: 'dismissal_template_created', ...recorded })
    const one = `${path}/${created.body.id}`
    const changes = { comment: '', until_days: null, until_fixed: false, dismissal_reason: 'false_positive' }
    expect((await maintainer.put(one, changes)).body).toMatchObject({ ...own, ...changes, name: draft.name })
    expect((await newestEvents(server))[0]).toMatchObject({ name: 'dismissal_template_updated' })
    expect((await maintainer.delete(one)).status).toBe(204)
    expect((await newestEvents(server))[0]).toMatchObject({ name: 'dismissal_template_destroyed' })
    expect((await maintainer.put(one, changes)).status).toBe(404)
    expect((await maintainer.delete(one)).status).toBe(404)
  })

  test('is offered in the project, and from the groups above and the instance, the closest first', async () => {
    const { project, path, groupPath, groupId } = await fresh()
    const subgroup = { name: 'Sub', path: 'sub', parent_id: groupId }
    const { body: sub } = await server.admin.post('/groups', subgroup)
    const { body: below } = await server.admin.post('/projects', { name: 'api', namespace_id: sub.id })
    const other = await fresh()
    const add = async (to: string, name: string) => (await server.admin.post(to, { ...draft, name })).body.id
    const instanceId = await add(instancePath, `of the instance ${project.id}`)
    await add(groupPath, 'b of the group')
    await add(groupPath, 'a of the group')
    await add(`/groups/${sub.id}/dismissal_templates`, 'of the subgroup')
    await add(`/projects/${below.id}/dismissal_templates`, 'of the project below')
    const groupId2 = await add(other.groupPath, 'of another group')
    const names = async (of: string) => (await server.admin.get(of)).body.map(({ name }: { name: string }) => name)
    const above = ['a of the group', 'b of the group', `of the instance ${project.id}`]
    expect(await names(path)).toEqual(above)
    expect(await names(groupPath)).toEqual(above)
    expect(await names(`/groups/${sub.id}/dismissal_templates`)).toEqual(['of the subgroup', ...above])
    const all = ['of the project below', 'of the subgroup', ...above]
    expect(await names(`/projects/${below.id}/dismissal_templates`)).toEqual(all)
    expect(await names(instancePath)).toEqual([`of the instance ${project.id}`])
    // Only the level that has a template changes it.
    for (const id of [instanceId, groupId2]) {
      expect((await server.admin.put(`${groupPath}/${id}`, { name: 'Taken over' })).status).toBe(404)
      expect((await server.admin.delete(`${path}/${id}`)).status).toBe(404)
    }
    expect((await server.admin.delete(`${instancePath}/${instanceId}`)).status).toBe(204)
  })

  test('is read by those who may triage, and managed by those who manage rules', async () => {
    const { project, path, groupPath } = await fresh()
    const developer = await server.as('developer', project)
    const [maintainer, outsider] = [await server.as('maintainer', project), await server.user('outside-templates')]
    expect((await developer.get(path)).status).toBe(403)
    expect((await maintainer.get(path)).status).toBe(200)
    expect((await developer.get(instancePath)).status).toBe(200)
    expect((await server.anonymous.get(instancePath)).status).toBe(401)
    expect((await outsider.get(path)).status).toBe(404)
    expect((await developer.post(path, draft)).status).toBe(403)
    expect((await maintainer.post(groupPath, draft)).status).not.toBe(201)
    expect((await maintainer.post(instancePath, draft)).status).toBe(403)
    expect((await maintainer.post(path, draft)).status).toBe(201)
    const reading = await server.client(maintainer, { scopes: ['read_api'] })
    expect((await reading.get(path)).body).toMatchObject([draft])
    expect((await reading.post(path, { ...draft, name: 'Other' })).status).toBe(403)
  })

  test('needs a name of its own in its level, a reason, and values within the limits', async () => {
    const { path, groupPath } = await fresh()
    const { body } = await server.admin.post(path, draft)
    await server.admin.post(path, { ...draft, name: 'Other' })
    const taken = { status: 400, body: { message: { name: ['has already been taken'] } } }
    expect(await server.admin.post(path, draft)).toMatchObject(taken)
    expect(await server.admin.put(`${path}/${body.id}`, { name: 'Other' })).toMatchObject(taken)
    expect((await server.admin.put(`${path}/${body.id}`, draft)).status).toBe(200)
    expect((await server.admin.post(groupPath, draft)).status).toBe(201)
    const refused = [
      { name: 'x' },
      { ...draft, name: ' ' },
      { ...draft, name: 'x'.repeat(101) },
      { ...draft, name: 'x', comment: 'x'.repeat(10_001) },
      { ...draft, name: 'x', dismissal_reason: 'boring' },
      { ...draft, name: 'x', until_days: 0 },
      { ...draft, name: 'x', until_days: 1826 },
    ]
    for (const values of refused) {
      const { status, text } = await server.admin.post(path, values)
      expect({ values, status, text }).toMatchObject({ status: 400 })
    }
    expect((await server.admin.put(`${path}/${body.id}`, {})).status).toBe(400)
    expect((await server.admin.get(path)).body).toHaveLength(3)
  })

  test('may be one of 50 in its level, also with concurrent requests', async () => {
    const { path } = await fresh()
    for (let made = 0; made < 48; made++) await server.admin.post(path, { ...draft, name: `Template ${made}` })
    const last = ['a', 'b', 'c', 'd'].map((name) => server.admin.post(path, { ...draft, name }))
    const statuses = (await Promise.all(last)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(2)
    const refused = await server.admin.post(path, { ...draft, name: 'e' })
    expect(refused.status, refused.text).toBe(statuses.find((status) => status !== 201))
    expect(refused.text).toContain('there may be up to 50 templates here')
  })

  test('is deleted with its project or group', async () => {
    const { project, path, groupPath } = await fresh()
    await server.admin.post(path, draft)
    await server.admin.post(groupPath, draft)
    await server.admin.delete(`/projects/${project.id}`)
    await server.runJobs()
    expect((await server.admin.get(groupPath)).body).toMatchObject([{ level: 'group' }])
  })
})
