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
  [{ container_expiration_policy_attributes: 'daily' }, 'container_expiration_policy_attributes is invalid'],
  [
    { container_expiration_policy_attributes: { cadence: '2d', keep_n: 'all' } },
    'container_expiration_policy_attributes[cadence] does not have a valid value, container_expiration_policy_attributes[keep_n] is invalid',
  ],
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

test('PUT /projects/:id stores the address of an import without its credentials', async () => {
  const { id } = await server.project('acme/imported')
  const set = { import_url: 'https://user:password@git.example.com/a.git', mirror: true }
  const changed = await server.admin.put(`/projects/${id}`, set)
  expect(changed).toMatchObject({ status: 200, body: { import_url: 'https://git.example.com/a.git', mirror: true } })
  expect(changed.text).not.toContain('password')
})

test('PUT /projects/:id stores an unusual address of an import without its credentials', async () => {
  const { id } = await server.project('acme/addresses')
  for (const [sent, stored] of [
    ['https://user:pass#word@git.example.com/a.git', 'https://git.example.com/a.git'],
    ['https://user:password@git.example.com:port/a.git', 'https://git.example.com:port/a.git'],
    ['oauth2:password@git.example.com:a.git', 'git.example.com:a.git'],
    ['git@git.example.com:a.git', 'git@git.example.com:a.git'],
    ['https://git.example.com/a@b.git', 'https://git.example.com/a@b.git'],
  ]) {
    expect((await server.admin.put(`/projects/${id}`, { import_url: sent })).body.import_url).toBe(stored)
  }
})

test('PUT /projects/:id returns a list and an object as they were sent, and keeps fields that are absent', async () => {
  const { id } = await server.project('acme/structured')
  const policy = { cadence: '7d', enabled: true, keep_n: 5 }
  const first = { ci_id_token_sub_claim_components: ['project_path', 'ref'], public_builds: true }
  const changed = await server.admin.put(`/projects/${id}`, {
    ...first,
    container_expiration_policy_attributes: policy,
  })
  expect(changed).toMatchObject({
    status: 200,
    body: { ...first, public_jobs: true, container_expiration_policy: policy },
  })
  const form = { 'container_expiration_policy_attributes[keep_n]': '10' }
  const again = await server.admin.put(`/projects/${id}`, new URLSearchParams(form))
  expect(again.body.container_expiration_policy).toEqual({ ...policy, keep_n: 10 })
  expect((await server.admin.get(`/projects/${id}`)).body).toMatchObject({
    ...first,
    container_expiration_policy: { ...policy, keep_n: 10 },
  })
})

test('what a project has or has not decides the lists of clients, not what a client stored', async () => {
  const { id } = await server.project('acme/renovated')
  expect((await server.admin.get(`/projects/${id}`)).body).toMatchObject({
    repository_access_level: 'disabled',
    merge_requests_enabled: false,
    empty_repo: true,
  })
  const set = { repository_access_level: 'enabled', merge_requests_enabled: true }
  expect((await server.admin.put(`/projects/${id}`, set)).body).toMatchObject({ ...set, empty_repo: true })
  expect((await server.admin.get('/projects?with_merge_requests_enabled=true')).body).toEqual([])
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
  const defaults = { allowed_to_push: [{ access_level: 40 }], allow_force_push: true }
  const protecting = await server.admin.put(`/groups/${group.id}`, { default_branch_protection_defaults: defaults })
  expect(protecting).toMatchObject({ status: 200, body: { default_branch_protection_defaults: defaults } })
  const wrong = { default_branch_protection_defaults: { allowed_to_push: [{ access_level: 'all' }] } }
  expect((await server.admin.put(`/groups/${group.id}`, wrong)).status).toBe(400)
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

test('users store attributes of GitLab that have no effect, and return them', async () => {
  const set = { bio: 'Breaks things.', job_title: 'Tester', organization: 'Acme', theme_id: 3, location: 'Oslo' }
  const draft = { email: 'ada@example.com', username: 'ada', name: 'Ada', force_random_password: true }
  const { status, body: user } = await server.admin.post('/users', { ...draft, ...set })
  expect([status, user]).toMatchObject([201, { ...set, work_information: 'Tester at Acme', linkedin: '' }])
  const path = `/users/${user?.id}`
  const changed = await server.admin.put(path, { twitter: '@ada', commit_email: 'dev@example.com' })
  expect(changed).toMatchObject({ status: 200, body: { ...set, twitter: '@ada', commit_email: 'dev@example.com' } })
  expect((await server.admin.get(path)).body).toEqual(changed.body)
  expect((await server.admin.get('/users?username=ada')).body).toEqual([changed.body])

  const reader = await server.user('reader')
  const { bio, location, job_title } = set
  const seen = (await reader.get(path)).body
  expect(seen).toMatchObject({ bio, location, job_title })
  expect(seen).not.toHaveProperty('theme_id')
  await server.admin.put(path, { private_profile: true })
  expect((await reader.get(path)).body).toMatchObject({ bio: '', location: null, work_information: null })
  expect((await server.admin.get(path)).body).toMatchObject({ bio, private_profile: true })
})

test('PUT /users/:id rejects an attribute with a wrong type, and with it the other changes', async () => {
  const { user } = await server.user('wrong')
  const path = `/users/${user?.id}`
  expect(await server.admin.put(path, { name: 'New', theme_id: 'dark' })).toMatchObject({
    status: 400,
    body: { error: 'theme_id is invalid' },
  })
  const long = { name: 'New', bio: 'x'.repeat(2001) }
  expect(await server.admin.put(path, long)).toMatchObject({
    status: 400,
    body: { message: { bio: ['is too long (maximum is 2000 characters)'] } },
  })
  expect((await server.admin.get(path)).body).toMatchObject({ name: user?.name, theme_id: 1 })
})

test.each([
  ['updateProject', ['merge_method', 'issues_enabled', 'squash_option']],
  ['updateGroup', ['project_creation_level', 'lfs_enabled', 'two_factor_grace_period']],
  ['updateUser', ['bio', 'location', 'linkedin']],
  ['createProjectHook', ['push_events', 'issues_events']],
  ['createGroupHook', ['push_events', 'releases_events']],
])('the OpenAPI document marks attributes of %s as stored without effect', async (operation, names) => {
  const { paths } = (await server.anonymous.get('//-/openapi.json')).body
  const operations = Object.values(paths as Record<string, Record<string, Operation>>).flatMap((methods) =>
    Object.values(methods),
  )
  const body = operations.find(({ operationId }) => operationId === operation)?.requestBody
  const [described] = body ? Object.values(body.content) : []
  for (const name of names) {
    const { description } = described?.schema.properties[name] ?? {}
    expect([name, description]).toEqual([name, expect.stringMatching(/^Stored, no effect/)])
  }
})

/** Part of an operation in the OpenAPI document. */
interface Operation {
  operationId?: string
  requestBody?: { content: Record<string, { schema: { properties: Record<string, { description?: string }> } }> }
}
