import { beforeAll, describe, expect, test } from 'vitest'
import { type PermissionRow, permissions } from '../../domain/access/permissions.ts'
import type { Route } from '../../http/route.ts'
import { routes } from '../../routes.ts'
import { type Client, formWithFile, type Reply } from '../../testing/client.ts'
import { startServer, type TestServer } from '../../testing/server.ts'

const absentId = '471100'
const people = ['nobody', 'an outsider', 'an external user', 'a member of another group'] as const
type Person = (typeof people)[number]

let server: TestServer
let clients: Record<Person, Client>
/** Responses to outsiders before any private resource exists, by user and path. */
let before: Map<string, unknown>
/** A private project in a public group and one in a private group; both have been moved. */
let hidden: {
  project: string
  projectPaths: string[]
  group: string
  groupPaths: string[]
  words: Record<string, string>
}

beforeAll(async () => {
  server = await startServer({ settings: { externalUrl: 'https://alcove.test' } })
  const outsider = await server.user('outsider')
  const insider = await server.user('insider')
  clients = {
    nobody: server.anonymous,
    'an outsider': outsider,
    'an external user': await server.user('external', { external: true }),
    'a member of another group': insider,
  }
  const other = (await server.admin.post('/groups', { name: 'other', path: 'other', visibility: 'private' })).body
  await server.admin.post(`/groups/${other.id}/members`, { user_id: insider.user?.id, access_level: 50 })
  await insider.post('/projects', { name: 'known', namespace_id: other.id, topics: ['maps'] })
  await outsider.post('/projects', { name: 'mine', topics: ['maps'] })
  await server.admin.put(`/projects/${(await server.project('acme/open', { visibility: 'public' })).id}`, {
    topics: ['maps', 'winds'],
  })
  before = await readAllLists()
  hidden = await hide()
})

async function hide(): Promise<typeof hidden> {
  const { admin } = server
  const project = await server.project('acme/former')
  await admin.put(`/projects/${project.id}`, { path: 'hidden', topics: ['maps'], description: 'treasure' })
  const vault = (await admin.post('/groups', { name: 'Cellar', path: 'cellar', visibility: 'private' })).body
  const acme = (await admin.get('/groups/acme')).body
  await admin.post('/groups', { name: 'Nook', path: 'nook', parent_id: acme.id, visibility: 'private' })
  await admin.post('/groups', { name: 'Shelf', path: 'shelf', parent_id: vault.id, visibility: 'private' })
  await admin.post('/projects', { name: 'box', namespace_id: vault.id, topics: ['maps', 'winds'] })
  await admin.put(`/groups/${vault.id}`, { path: 'vault' })
  await admin.post(`/projects/${project.id}/star`)
  const file = () => formWithFile('file', 'a.txt', 'secret')
  const upload = (await admin.post(`/projects/${project.id}/uploads`, file())).body
  const groupUpload = (await admin.post(`/groups/${vault.id}/uploads`, file())).body
  const vulnerability = await server.vulnerability(project)
  const { finding } = vulnerability
  return {
    project: String(project.id),
    projectPaths: ['acme/hidden', 'acme/former', 'vault/box', 'cellar/box'],
    group: String(vault.id),
    groupPaths: ['vault', 'cellar', 'vault/shelf', 'acme/nook'],
    words: {
      user_id: String(admin.user?.id ?? 1),
      upload_id: String(upload.id),
      secret: upload.url.split('/')[2],
      groupSecret: groupUpload.url.split('/')[2],
      groupUploadId: String(groupUpload.id),
      filename: 'a.txt',
      finding: String(finding.id),
      vulnerability: String(vulnerability.id),
    },
  }
}

describe.each(people)('%s', (person) => {
  test.each(routes.filter(isAboutOne).map((route) => [`${route.method} ${route.path}`, route] as const))(
    'gets the same response for hidden and missing resources from %s',
    async (_, route) => {
      const isGroup = onOf(route) === 'group'
      const absentPaths = isGroup
        ? ['absent', 'absent', 'vault/absent', 'acme/absent']
        : ['acme/absent', 'acme/absent', 'vault/absent', 'cellar/absent']
      const [id, paths] = isGroup ? [hidden.group, hidden.groupPaths] : [hidden.project, hidden.projectPaths]
      const pairs = [[id, absentId] as const, ...paths.map((path, index) => [path, absentPaths[index] ?? ''] as const)]
      for (const [existing, absent] of pairs) {
        for (const body of bodiesFor(route)) {
          const reply = await ask(clients[person], route, existing, body())
          expect(reply.status).toBeGreaterThanOrEqual(400)
          expect(reply).toEqual(await ask(clients[person], route, absent, body()))
        }
      }
    },
  )

  test('gets the same lists, counts and search results as before hidden resources existed', async () => {
    const after = await readAllLists()
    for (const [question, answer] of before) {
      if (question.startsWith(`${person} `)) expect([question, after.get(question)]).toEqual([question, answer])
    }
  })

  test('gets the same response when writing into hidden and missing resources', async () => {
    const client = clients[person]
    const mine = (await client.get('/projects?owned=true')).body[0]?.id ?? absentId
    const tries = (group: string, project: string): Promise<Reply>[] => [
      client.post('/projects', { name: 'box', namespace_id: group }),
      client.post('/groups', { name: 'Shelf', path: 'shelf', parent_id: group }),
      client.put(`/projects/${mine}/transfer`, { namespace: group }),
      client.get(`/namespaces/${group}`),
      client.get(`/namespaces/shelf/exists?parent_id=${group}`),
      client.post('/markdown', { text: 'x', project }),
      client.post('/topics', { name: 'x', title: 'x', organization_id: group }),
    ]
    expect(await repliesOf(tries(hidden.group, hidden.project))).toEqual(await repliesOf(tries(absentId, absentId)))
    const byPath = (group: string, project: string) => [
      client.put(`/projects/${mine}/transfer`, { namespace: group }),
      client.get(`/namespaces/${encodeURIComponent(group)}`),
      client.post('/markdown', { text: 'x', project }),
    ]
    const absent = await repliesOf(byPath('absent', 'acme/absent'))
    for (const [index, group] of hidden.groupPaths.entries()) {
      expect(await repliesOf(byPath(group, hidden.projectPaths[index] ?? ''))).toEqual(absent)
    }
  })

  test('gets the same list when filtering by a hidden project as by a missing one', async () => {
    const client = clients[person]
    const acme = (await client.get('/groups/acme')).body
    const tries = (project: string): Promise<Reply>[] => [
      client.get(`/groups/${acme.id}/vulnerabilities?project_id=${project}`),
      client.get(`/groups/${acme.id}/vulnerability_statistics?project_id=${project}`),
      client.get(`/groups/${acme.id}/projects?id_after=${Number(project) - 1}&id_before=${Number(project) + 1}`),
      client.get(`/projects?id_after=${Number(project) - 1}&id_before=${Number(project) + 1}`),
    ]
    const withoutLinks = (replies: Awaited<ReturnType<typeof repliesOf>>) =>
      replies.map(({ status, text, headers: { link: _link, ...headers } }) => ({ status, text, headers }))
    const [existing, absent] = [await repliesOf(tries(hidden.project)), await repliesOf(tries(absentId))]
    expect(withoutLinks(existing)).toEqual(withoutLinks(absent))
  })

  test('cannot discover hidden names in a readable group by trying to create them', async () => {
    const client = clients[person]
    const acme = (await client.get('/groups/acme')).body
    const tries = (project: string, group: string): Promise<Reply>[] => [
      client.post('/projects', { name: project, path: project, namespace_id: acme.id }),
      client.post('/groups', { name: group, path: group, parent_id: acme.id }),
      client.get(`/namespaces/${group}/exists?parent_id=${acme.id}`),
      client.get(`/namespaces/${project}/exists?parent_id=${acme.id}`),
    ]
    expect(await repliesOf(tries('hidden', 'nook'))).toEqual(await repliesOf(tries('absent', 'absent')))
  })
})

test('only callers who may create groups learn that the path of a hidden group is taken', async () => {
  const exists = async (client: Client, path: string) => (await client.get(`/namespaces/${path}/exists`)).body
  expect(await exists(clients['an external user'], 'vault')).toEqual({ exists: false, suggests: [] })
  expect(await exists(clients['an external user'], 'acme')).toEqual({ exists: true, suggests: ['acme1'] })
  // The request itself would be rejected.
  expect(await exists(clients['an outsider'], 'vault')).toEqual({ exists: true, suggests: ['vault1'] })
  expect(await exists(clients['an outsider'], 'cellar')).toEqual({ exists: false, suggests: [] })
})

function onOf(route: Route): PermissionRow['on'] {
  return permissions[route.permission].on
}

/** Returns true for paths of a project or group, or of a resource inside. */
function isAboutOne(route: Route): boolean {
  return onOf(route) !== 'instance' || /^\/vulnerabilities\/:id/.test(route.path)
}

/** An empty body, a body that is valid for most routes, and a file. */
function bodiesFor(route: Route): (() => unknown)[] {
  if (route.method === 'GET' || route.method === 'DELETE') return [() => undefined]
  const { finding = '', user_id } = hidden.words
  const plausible = {
    ...{ name: 'x', description: 'x', topics: ['maps'], namespace: 'outsider', user_id, access_level: 10 },
    ...{ finding_id: finding, comment: 'x', severity: 'low', upload_quota_bytes: 1, max_upload_bytes: 1 },
    ...{ issue_link: 1, target_issue_iid: 1, target_project_id: 1 },
  }
  return [() => undefined, () => plausible, () => formWithFile('file', 'a.txt', 'x')]
}

async function ask(client: Client, route: Route, id: string, body: unknown) {
  const isGroup = onOf(route) === 'group'
  const { words } = hidden
  const values: Record<string, string | undefined> = {
    ...words,
    ...(isGroup && { secret: words['groupSecret'], upload_id: words['groupUploadId'] }),
    id: onOf(route) === 'instance' && id === hidden.project ? words['vulnerability'] : id,
  }
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? '1'))
  const address = route.outside ? `/${path}` : path
  if (route.method === 'GET') return replyOf(await client.get(address))
  if (route.method === 'DELETE') return replyOf(await client.delete(address))
  return replyOf(await (route.method === 'POST' ? client.post(address, body) : client.put(address, body)))
}

/** Removes values that differ in every response. */
function replyOf({ status, text, headers }: Reply) {
  const { 'x-request-id': _id, 'x-gitlab-meta': _meta, 'x-runtime': _time, date: _date, ...rest } = headers
  return { status, text, headers: rest }
}

async function repliesOf(replies: readonly Promise<Reply>[]) {
  return (await Promise.all(replies)).map(replyOf)
}

const lists = [
  ...[
    '/projects',
    '/projects?search=hidden',
    '/projects?search=treasure',
    '/projects?search=box&search_namespaces=true',
  ],
  ...['/projects?search=vault&search_namespaces=true', '/projects?visibility=private', '/projects?topic=maps'],
  ...[
    '/projects?topic=maps,winds&order_by=name',
    '/projects?order_by=last_activity_at',
    '/projects?id_after=1&sort=asc',
  ],
  ...['/projects?membership=true', '/projects?owned=true', '/projects?starred=true', '/projects?min_access_level=10'],
  ...['/projects?order_by=star_count', '/projects?pagination=keyset&order_by=id&per_page=1', '/projects?per_page=1'],
  ...[
    '/groups',
    '/groups?search=vault',
    '/groups?search=nook',
    '/groups?visibility=private',
    '/groups?all_available=true',
  ],
  ...['/groups?pagination=keyset&per_page=1', '/groups?order_by=id&sort=desc'],
  ...[
    '/groups/acme',
    '/groups/acme/projects',
    '/groups/acme/projects?include_subgroups=true',
    '/groups/acme/subgroups',
  ],
  ...['/groups/acme/descendant_groups', '/groups/acme/members', '/groups/acme/members/all'],
  ...['/namespaces', '/namespaces?search=vault', '/namespaces?search=nook', '/namespaces/acme'],
  ...['/users/root/projects', '/users/root/projects?visibility=private', '/topics', '/topics?search=maps'],
  ...['/topics?search=winds', '/topics?without_projects=true', '/topics/1', '/topics/2'],
  ...['/users?username=root', '/projects/acme%2Fopen', '/projects/acme%2Fopen/members/all'],
]

/** Returns all responses with the counts in headers. Excludes the total of projects of a topic, which GitLab shows too. */
async function readAllLists(): Promise<Map<string, unknown>> {
  const replies = new Map<string, unknown>()
  for (const person of people) {
    for (const list of lists) {
      const { status, text, headers } = replyOf(await clients[person].get(list))
      const { etag: _etag, 'content-length': _length, ...rest } = headers
      replies.set(`${person} ${list}`, { status, text: text.replace(/"total_projects_count":\d+/g, ''), headers: rest })
    }
  }
  return replies
}
