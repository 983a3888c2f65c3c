import { expect, test } from 'vitest'
import { startServer } from '../../../testing/server.ts'

const server = await startServer()

test('PUT /projects/:id stores attributes of GitLab that have no effect, and returns them', async () => {
  const { id } = await server.project('acme/site')
  const maintainer = await server.as('maintainer', { id })
  const before = (await maintainer.get(`/projects/${id}`)).body
  expect(before).toMatchObject({ merge_method: 'merge', issues_enabled: false, issues_access_level: 'disabled' })
  const set = { merge_method: 'ff', issues_enabled: true, ci_config_path: 'ci.yml', build_timeout: 3600 }
  const changed = await maintainer.put(`/projects/${id}`, set)
  expect(changed).toMatchObject({ status: 200, body: { ...set, issues_access_level: 'enabled' } })

  const again = await maintainer.put(`/projects/${id}`, { squash_option: 'always', wiki_access_level: 'private' })
  const now = { ...set, squash_option: 'always', wiki_access_level: 'private', wiki_enabled: true }
  expect(again.body).toMatchObject(now)
  expect((await maintainer.get(`/projects/${id}`)).body).toMatchObject(now)
  const [listed] = (await maintainer.get('/projects?membership=true')).body
  expect(listed).toMatchObject(now)
  expect((await server.admin.post(`/projects/${id}/star`)).body).toMatchObject(now)
})

test('POST /projects accepts attributes of GitLab that have no effect', async () => {
  const group = (await server.admin.post('/groups', { name: 'made', path: 'made' })).body
  const draft = { name: 'made', namespace_id: group.id, only_allow_merge_if_pipeline_succeeds: true }
  const created = await server.admin.post('/projects', draft)
  expect(created).toMatchObject({ status: 201, body: { only_allow_merge_if_pipeline_succeeds: true } })
})

test.each([
  [{ merge_method: 'octopus' }, 'merge_method does not have a valid value'],
  [{ issues_enabled: 'perhaps' }, 'issues_enabled is invalid'],
  [{ build_timeout: 'long' }, 'build_timeout is invalid'],
  [{ pages_access_level: 'open' }, 'pages_access_level does not have a valid value'],
])('PUT /projects/:id rejects %j and changes nothing', async (input, error) => {
  const { id } = await server.project(`acme/wrong-${++projects}`)
  const before = (await server.admin.get(`/projects/${id}`)).body
  expect(await server.admin.put(`/projects/${id}`, { ...input, squash_option: 'never' })).toMatchObject({
    status: 400,
    body: { error },
  })
  expect((await server.admin.get(`/projects/${id}`)).body).toEqual(before)
})
let projects = 0

test('PUT /projects/:id rejects a text that is too long and changes nothing', async () => {
  const { id } = await server.project('acme/long')
  const input = { issues_template: 'x'.repeat(2001), description: 'new' }
  expect(await server.admin.put(`/projects/${id}`, input)).toMatchObject({
    status: 400,
    body: { message: { issues_template: ['is too long (maximum is 2000 characters)'] } },
  })
  expect((await server.admin.get(`/projects/${id}`)).body.description).toBeNull()
})

test('PUT /projects/:id ignores attributes that are secrets or need a repository', async () => {
  const { id } = await server.project('acme/imported')
  const set = { import_url: 'https://user:password@git.example.com/a.git', mirror: true }
  const changed = await server.admin.put(`/projects/${id}`, set)
  expect(changed).toMatchObject({ status: 200, body: { import_url: null } })
  expect(changed.text).not.toContain('password')
})

test('groups store attributes of GitLab that have no effect, and return them', async () => {
  const set = { project_creation_level: 'maintainer', require_two_factor_authentication: true, lfs_enabled: true }
  const { body: group } = await server.admin.post('/groups', { name: 'Terra', path: 'terra', ...set })
  expect(group).toMatchObject(set)
  const more = { default_branch: 'trunk', two_factor_grace_period: 8, mentions_disabled: true, emails_enabled: true }
  expect(await server.admin.put(`/groups/${group.id}`, more)).toMatchObject({
    status: 200,
    body: { ...set, ...more, emails_disabled: false, subgroup_creation_level: 'maintainer' },
  })
  expect((await server.admin.get(`/groups/${group.id}`)).body).toMatchObject({ ...set, ...more })
  expect((await server.admin.get('/groups?search=terra')).body).toMatchObject([{ ...set, ...more }])
  expect(await server.admin.put(`/groups/${group.id}`, { default_branch: null })).toMatchObject({
    body: { default_branch: null, ...set },
  })
  expect(await server.admin.put(`/groups/${group.id}`, { project_creation_level: 'anyone' })).toMatchObject({
    status: 400,
    body: { error: 'project_creation_level does not have a valid value' },
  })
})

test('webhooks store events that Alcove never sends, and return them', async () => {
  const { id } = await server.project('acme/hooked')
  const path = `/projects/${id}/hooks`
  const set = { push_events: true, push_events_branch_filter: 'main', branch_filter_strategy: 'regex' }
  const { status, body } = await server.admin.post(path, { url: 'https://hooks.example.com', ...set })
  expect([status, body]).toMatchObject([201, { ...set, tag_push_events: false, vulnerability_events: false }])
  const changed = await server.admin.put(`${path}/${body.id}`, { job_events: true })
  expect(changed).toMatchObject({ status: 200, body: { ...set, job_events: true } })
  expect((await server.admin.get(`${path}/${body.id}`)).body).toEqual(changed.body)
  expect((await server.admin.get(path)).body).toEqual([changed.body])
  expect((await server.admin.put(`${path}/${body.id}`, {})).status).toBe(400)
})
