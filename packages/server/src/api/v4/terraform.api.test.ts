import { describe, expect, test } from 'vitest'
import { formWithAvatar } from '../../testing/avatars.ts'
import { startServer } from '../../testing/server.ts'

/*
 * Calls of the Terraform provider of GitLab, replayed: create, read, plan, update, import, destroy. Sources: the resource
 * files of gitlabhq/terraform-provider-gitlab (internal/provider/resource_gitlab_<resource>.go), the attributes in
 * docs/resources/<resource>.md at 8b7bb7ac (19.1.0), and the paths in xanzy/go-gitlab at 68add03.
 */

const server = await startServer()
const group = (await server.admin.post('/groups', { name: 'Terraform', path: 'terraform' })).body
const { id: userId } = (await server.user('terra')).user ?? { id: 0 }

let numbers = 0
const fresh = (prefix: string) => `${prefix}-${++numbers}`

type Body = object

interface Resource {
  /** Source of the sequence, besides the documents. */
  source: string
  collection: string
  create: () => Body
  update: Body
  updateMethod?: 'put' | 'post'
  /** Attributes of the configuration under the names of the response, where they differ or are not returned. */
  shown?: (sent: Record<string, unknown>) => object
  /** Part of the response that identifies the resource. */
  key?: string
  /** Calls after the creation whose failure with 404 the provider accepts. */
  tolerated?: (id: unknown) => string[]
}

const same = (sent: object) => sent
const without =
  (...names: string[]) =>
  (sent: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(sent).filter(([name]) => !names.includes(name)))

const token = () => ({ name: fresh('ci'), scopes: ['read_api'], expires_at: inDays(30), description: 'For CI' })
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const project = await server.project('terraform/site')
const resources: Record<string, Resource> = {
  gitlab_project: {
    source: 'Projects.CreateProject, GetProject, GetProjectPushRules, EditProject, DeleteProject',
    collection: '/projects',
    create: () => ({
      ...{ name: fresh('project'), namespace_id: group.id, visibility: 'private', description: 'By code' },
      ...{ issues_access_level: 'private', wiki_access_level: 'disabled', pages_access_level: 'public' },
      ...{ merge_method: 'ff', squash_option: 'always', build_timeout: 3600, ci_config_path: 'ci.yml' },
      ...{ topics: ['infrastructure'], lfs_enabled: true, auto_cancel_pending_pipelines: 'enabled' },
      ...{ container_expiration_policy_attributes: { cadence: '7d', enabled: true, keep_n: 5 } },
    }),
    shown: ({ namespace_id: id, container_expiration_policy_attributes: policy, ...rest }) => ({
      ...rest,
      namespace: { id },
      container_expiration_policy: policy,
    }),
    update: { merge_method: 'merge', issues_template: 'Steps', suggestion_commit_message: 'Apply' },
    tolerated: (id) => [`/projects/${id}/repository/branches/main`, `/projects/${id}/push_rule`],
  },
  gitlab_group: {
    source: 'Groups.CreateGroup, GetGroup, UpdateGroup, DeleteGroup',
    collection: '/groups',
    create: () => {
      const path = fresh('group')
      return {
        ...{ name: path, path, parent_id: group.id, visibility: 'private', description: 'By code' },
        ...{ project_creation_level: 'maintainer', subgroup_creation_level: 'owner', lfs_enabled: true },
        ...{ request_access_enabled: true, two_factor_grace_period: 24, prevent_forking_outside_group: true },
      }
    },
    update: { require_two_factor_authentication: true, shared_runners_setting: 'disabled_and_overridable' },
  },
  gitlab_topic: {
    source: 'Topics.CreateTopic, GetTopic, UpdateTopic, DeleteTopic',
    collection: '/topics',
    create: () => ({ name: fresh('topic'), title: 'Topic', description: 'By code' }),
    update: { title: 'Other title', description: '' },
  },
  gitlab_user: {
    source: 'Users.CreateUser, GetUser, ModifyUser, BlockUser, DeleteUser',
    collection: '/users',
    create: () => {
      const username = fresh('user')
      const account = { username, name: 'Ada', email: `${username}@example.com`, note: 'By code' }
      const rights = { admin: false, can_create_group: false, external: true, projects_limit: 3 }
      return { ...account, ...rights, force_random_password: true, skip_confirmation: true, reset_password: false }
    },
    shown: ({ admin, ...sent }) => ({
      ...without('force_random_password', 'skip_confirmation', 'reset_password')(sent),
      is_admin: admin,
    }),
    update: { projects_limit: 5, note: 'Changed' },
  },
  gitlab_project_membership: {
    source: 'ProjectMembers.AddProjectMember, GetProjectMember, EditProjectMember, DeleteProjectMember',
    collection: `/projects/${project.id}/members`,
    create: () => ({ user_id: userId, access_level: 30, expires_at: inDays(60) }),
    shown: without('user_id'),
    update: { access_level: 40, expires_at: inDays(90) },
  },
  gitlab_group_membership: {
    source: 'GroupMembers.AddGroupMember, GetGroupMember, EditGroupMember, RemoveGroupMember',
    collection: `/groups/${group.id}/members`,
    create: () => ({ user_id: userId, access_level: 20 }),
    shown: without('user_id'),
    update: { access_level: 30, expires_at: inDays(90) },
  },
  gitlab_project_hook: {
    source: 'Projects.AddProjectHook, GetProjectHook, EditProjectHook, DeleteProjectHook',
    collection: `/projects/${project.id}/hooks`,
    create: () => ({
      ...{ url: 'https://hooks.example.com/a', name: 'Chat', description: 'By code', token: 'secret' },
      ...{ push_events: true, push_events_branch_filter: 'main', issues_events: true, vulnerability_events: true },
      ...{ enable_ssl_verification: true, emoji_events: true, resource_deploy_token_events: true },
    }),
    shown: without('token'),
    update: { url: 'https://hooks.example.com/a', push_events: false, pipeline_events: true },
  },
  gitlab_group_hook: {
    source: 'Groups.AddGroupHook, GetGroupHook, EditGroupHook, DeleteGroupHook',
    collection: `/groups/${group.id}/hooks`,
    create: () => ({ url: 'https://hooks.example.com/b', subgroup_events: true, releases_events: true, token: 'x' }),
    shown: without('token'),
    update: { url: 'https://hooks.example.com/b', subgroup_events: false, branch_filter_strategy: 'all_branches' },
  },
}

describe.each(Object.entries(resources))('%s', (_, resource) => {
  const { collection, create, update, shown = same, tolerated } = resource

  test(`is created, read, planned without drift, updated, imported and destroyed (${resource.source})`, async () => {
    const sent = { ...create() }
    const created = await server.admin.post(collection, sent)
    expect(created.status, created.text).toBe(201)
    const path = `${collection}/${created.body.id}`
    for (const call of tolerated?.(created.body.id) ?? []) expect((await server.admin.get(call)).status).toBe(404)

    const read = () => server.admin.get(path)
    expect(await read()).toMatchObject({ status: 200, body: shown(sent) })
    const planned = (await read()).body
    expect((await read()).body).toEqual(planned)

    const changed = await server.admin.put(path, update)
    expect(changed.status, changed.text).toBe(200)
    const expected = { ...shown(sent), ...update }
    expect((await read()).body).toMatchObject(expected)
    // The import reads the same resource by its id into an empty state.
    expect((await read()).body).toMatchObject(expected)

    expect((await server.admin.delete(path)).status).toBeLessThan(300)
    expect((await read()).status).toBe(404)
    expect((await server.admin.delete(path)).status).toBe(404)
  })
})

const tokens: readonly { name: string; collection: string; base: string; extra: object }[] = [
  {
    name: 'gitlab_personal_access_token',
    collection: `/users/${userId}/personal_access_tokens`,
    base: '/personal_access_tokens',
    extra: {},
  },
  ...[`/projects/${project.id}/access_tokens`, `/groups/${group.id}/access_tokens`].map((path) => ({
    name: path.startsWith('/projects') ? 'gitlab_project_access_token' : 'gitlab_group_access_token',
    collection: path,
    base: path,
    extra: { access_level: 30 },
  })),
]

describe.each(tokens)('$name', ({ collection, base, extra }) => {
  test('is created, read, rotated and revoked (PersonalAccessTokens, ProjectAccessTokens, GroupAccessTokens)', async () => {
    const sent = { ...token(), ...extra }
    const created = await server.admin.post(collection, sent)
    expect([created.status, created.body]).toMatchObject([201, { ...sent, token: expect.any(String) }])
    const path = `${base}/${created.body.id}`
    const { token: secret, ...rest } = created.body
    const read = await server.admin.get(path)
    expect(read).toMatchObject({ status: 200, body: { ...sent, active: true, revoked: false, user_id: rest.user_id } })
    expect(read.text).not.toContain(secret)

    const rotated = await server.admin.post(`${path}/rotate`, { expires_at: inDays(60) })
    expect(rotated).toMatchObject({ status: 200, body: { name: sent.name, expires_at: inDays(60), active: true } })
    const next = `${base}/${rotated.body.id}`
    expect((await server.admin.delete(next)).status).toBe(204)
    const after = await server.admin.get(next)
    // The provider removes a token from its state when it is gone or revoked.
    expect(after.status === 404 || after.body.revoked).toBe(true)
  })
})

test('avatars of gitlab_project, gitlab_group and gitlab_topic are sent by PUT and read back as an address', async () => {
  const topic = (await server.admin.post('/topics', { name: fresh('topic'), title: 'Pictured' })).body
  for (const path of [`/projects/${project.id}`, `/groups/${group.id}`, `/topics/${topic.id}`]) {
    const { status, body } = await server.admin.put(path, formWithAvatar())
    expect([status, body.avatar_url]).toEqual([200, expect.stringContaining('my_logo.png')])
    expect((await server.admin.get(path)).body.avatar_url).toBe(body.avatar_url)
    expect((await server.admin.put(path, { avatar: '' })).body.avatar_url).toBeNull()
  }
})

test('gitlab_user changes its state by calls of its own', async () => {
  const { id } = (await server.user(fresh('state'))).user ?? { id: 0 }
  for (const [call, state] of [
    ['block', 'blocked'],
    ['unblock', 'active'],
    ['deactivate', 'deactivated'],
    ['activate', 'active'],
  ]) {
    expect((await server.admin.post(`/users/${id}/${call}`)).status).toBe(201)
    expect((await server.admin.get(`/users/${id}`)).body.state).toBe(state)
  }
})
