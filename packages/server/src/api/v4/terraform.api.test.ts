import { describe, expect, test } from 'vitest'
import { formWithAvatar } from '../../testing/avatars.ts'
import { startServer } from '../../testing/server.ts'
import { terraformCalls } from '../../testing/terraform-calls.ts'

/*
 * Calls of the Terraform provider of GitLab, replayed: create, read, plan, update, import, destroy. `terraform-calls.ts` lists
 * each call with its source; the attributes are those of docs/resources/<resource>.md at 8b7bb7ac (19.1.0).
 */

const server = await startServer()
const group = (await server.admin.post('/groups', { name: 'Terraform', path: 'terraform' })).body
const elsewhere = (await server.admin.post('/groups', { name: 'Elsewhere', path: 'elsewhere' })).body
const { id: userId } = (await server.user('terra')).user ?? { id: 0 }

let numbers = 0
const fresh = (prefix: string) => `${prefix}-${++numbers}`

type Body = object

interface Resource {
  create: () => Body
  update?: Body
  /** Body of the call that moves the resource to another group, and what the response then has. */
  transfer?: { send: Body; shown: Body }
  /** Attributes of the configuration under the names of the response, where they differ or are not returned. */
  shown?: (sent: Record<string, unknown>) => object
}

const same = (sent: object) => sent
const without =
  (...names: string[]) =>
  (sent: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(sent).filter(([name]) => !names.includes(name)))

const token = () => ({ name: fresh('ci'), scopes: ['read_api'], expires_at: inDays(30), description: 'For CI' })
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** GitLab returns the names of headers and URL variables, and not the token. */
const withKeys = (sent: Record<string, unknown>) => {
  const keysOf = (pairs: unknown) => Array.isArray(pairs) && pairs.map(({ key }) => ({ key }))
  const rest = without('token')(sent)
  return {
    ...rest,
    ...(rest['custom_headers'] !== undefined && { custom_headers: keysOf(rest['custom_headers']) }),
    ...(rest['url_variables'] !== undefined && { url_variables: keysOf(rest['url_variables']) }),
  }
}
const activeToken = (sent: Record<string, unknown>) => ({ ...sent, active: true, revoked: false })

const project = await server.project('terraform/site')
const resources: Record<string, Resource> = {
  gitlab_project: {
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
    transfer: { send: { namespace: elsewhere.id }, shown: { namespace: { id: elsewhere.id } } },
    update: { merge_method: 'merge', issues_template: 'Steps', suggestion_commit_message: 'Apply' },
  },
  gitlab_group: {
    create: () => {
      const path = fresh('group')
      return {
        ...{ name: path, path, parent_id: group.id, visibility: 'private', description: 'By code' },
        ...{ project_creation_level: 'maintainer', subgroup_creation_level: 'owner', lfs_enabled: true },
        ...{ request_access_enabled: true, two_factor_grace_period: 24, prevent_forking_outside_group: true },
      }
    },
    transfer: { send: { group_id: elsewhere.id }, shown: { parent_id: elsewhere.id } },
    update: { require_two_factor_authentication: true, shared_runners_setting: 'disabled_and_overridable' },
  },
  gitlab_topic: {
    create: () => ({ name: fresh('topic'), title: 'Topic', description: 'By code' }),
    update: { title: 'Other title', description: '' },
  },
  gitlab_user: {
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
    create: () => ({ user_id: userId, access_level: 30, expires_at: inDays(60) }),
    shown: without('user_id'),
    update: { access_level: 40, expires_at: inDays(90) },
  },
  gitlab_group_membership: {
    create: () => ({ user_id: userId, access_level: 20 }),
    shown: without('user_id'),
    update: { access_level: 30, expires_at: inDays(90) },
  },
  gitlab_project_hook: {
    create: () => ({
      ...{ url: 'https://hooks.example.com/a', name: 'Chat', description: 'By code', token: 'secret' },
      ...{ push_events: true, push_events_branch_filter: 'main', issues_events: true, vulnerability_events: true },
      ...{ enable_ssl_verification: true, emoji_events: true, resource_deploy_token_events: true },
      ...{ branch_filter_strategy: 'wildcard', confidential_note_events: true, feature_flag_events: true },
      custom_headers: [{ key: 'X-Team', value: 'secret' }],
      url_variables: [{ key: 'place', value: 'secret' }],
    }),
    shown: withKeys,
    update: { url: 'https://hooks.example.com/a', push_events: false, pipeline_events: true },
  },
  gitlab_group_hook: {
    create: () => ({
      ...{ url: 'https://hooks.example.com/b', subgroup_events: true, releases_events: true, token: 'x' },
      ...{ member_events: true, deployment_events: true, wiki_page_events: true, milestone_events: true },
      custom_headers: [{ key: 'X-Team', value: 'secret' }],
    }),
    shown: withKeys,
    update: { url: 'https://hooks.example.com/b', subgroup_events: false, branch_filter_strategy: 'all_branches' },
  },
  gitlab_personal_access_token: { create: token, shown: activeToken },
  gitlab_project_access_token: { create: () => ({ ...token(), access_level: 30 }), shown: activeToken },
  gitlab_group_access_token: { create: () => ({ ...token(), access_level: 30 }), shown: activeToken },
}

const idsInPaths: Readonly<Record<string, number>> = { project: project.id, group: group.id, user: userId }

test('the table of calls has every resource that is tested', () => {
  expect(Object.keys(terraformCalls)).toEqual(Object.keys(resources))
})

/** State of a project or user after the call of that name. */
const states: Readonly<Record<string, object>> = {
  archive: { archived: true },
  unarchive: { archived: false },
  block: { state: 'blocked' },
  unblock: { state: 'active' },
  deactivate: { state: 'deactivated' },
  activate: { state: 'active' },
}

describe.each(Object.entries(resources))('%s', (name, { create, update = {}, transfer, shown = same }) => {
  const calls = terraformCalls[name] ?? []
  let id: unknown
  let secret = ''
  let expected: object = {}
  let last: unknown

  const pathOf = (path: string) =>
    path.replace(/:(\w+)/g, (_, name: string) => String(name === 'id' ? id : idsInPaths[name]))
  const bodies: Readonly<Record<string, () => Body | undefined>> = {
    create: () => ({ ...create() }),
    update: () => update,
    transfer: () => transfer?.send,
    rotate: () => ({ expires_at: inDays(60) }),
  }

  // One row after the other: each continues with the resource that the rows before it have left.
  test.each(calls)('%s: %s answers %i (docs.gitlab.com/api/%s)', async (purpose, request, status) => {
    const [method = '', path = ''] = request.split(' ')
    const send = server.admin[method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'] // the methods of the table
    const sent = bodies[purpose]?.()
    const reply = await send(pathOf(path), ...(sent ? [sent] : []))
    expect(reply.status, reply.text).toBe(status)
    if (purpose === 'create') {
      id = reply.body.id
      secret = reply.body.token ?? 'no secret'
      expected = shown({ ...sent })
    }
    if (purpose === 'update') expected = { ...expected, ...update }
    if (purpose === 'transfer') expected = { ...expected, ...transfer?.shown }
    if (purpose === 'rotate') {
      id = reply.body.id
      expected = { ...expected, ...sent }
      expect(reply.body.token).not.toBe(secret)
    }
    if (['create', 'read', 'plan', 'transfer', 'update', 'import', 'rotate'].includes(purpose)) {
      expect(reply.body).toMatchObject(expected)
    }
    if (purpose === 'state') {
      const { body } = await server.admin.get(pathOf(path.replace(/\/\w+$/, '')))
      expect(body).toMatchObject(states[path.split('/').at(-1) ?? ''] ?? {})
    }
    if (purpose === 'plan') expect(reply.body).toEqual(last)
    if (purpose === 'read' || purpose === 'plan') {
      expect(reply.text).not.toContain(secret)
      last = reply.body
    }
  })
})

test.each(['gitlab_personal_access_token', 'gitlab_project_access_token', 'gitlab_group_access_token'])(
  'a revoked %s is gone or revoked when it is read, so that the provider removes it from its state',
  async (name) => {
    const [[, request = ''] = []] = terraformCalls[name] ?? []
    const read = terraformCalls[name]?.find(([purpose]) => purpose === 'read')?.[1].split(' ')[1] ?? ''
    const collection = request.split(' ')[1] ?? ''
    const fill = (path: string, id?: number) =>
      path.replace(/:(\w+)/g, (_, part: string) => String(part === 'id' ? id : idsInPaths[part]))
    const { id } = (await server.admin.post(fill(collection), { ...token(), access_level: 30 })).body
    await server.admin.delete(fill(read, id))
    const after = await server.admin.get(fill(read, id))
    expect(after.status === 404 || after.body.revoked).toBe(true)
  },
)

test('avatars of gitlab_project, gitlab_group and gitlab_topic are sent by PUT and read back as an address', async () => {
  const topic = (await server.admin.post('/topics', { name: fresh('topic'), title: 'Pictured' })).body
  for (const path of [`/projects/${project.id}`, `/groups/${group.id}`, `/topics/${topic.id}`]) {
    const { status, body } = await server.admin.put(path, formWithAvatar())
    expect([status, body.avatar_url]).toEqual([200, expect.stringContaining('my_logo.png')])
    expect((await server.admin.get(path)).body.avatar_url).toBe(body.avatar_url)
    expect((await server.admin.put(path, { avatar: '' })).body.avatar_url).toBeNull()
  }
})
