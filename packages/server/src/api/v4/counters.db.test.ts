import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import type { Db } from '../../db/db.ts'
import { type Client, formWithFile, type Reply } from '../../testing/client.ts'
import { startServer, type TestServer } from '../../testing/server.ts'

const writers = 50
const stepsPerWriter = Number(process.env['ALCOVE_TEST_WRITER_STEPS'] ?? 12)
const names = Array.from({ length: 12 }, (_, number) => `topic ${number}`)
const aliases = Array.from({ length: 24 }, (_, number) => `word ${number}`)
const visibilities = ['private', 'internal', 'public']

test('counters stay correct while fifty concurrent writers change everything they count', async () => {
  const server = await startServer({ settings: { logLevel: 'error' } })
  const world = await settle(server)
  const bugs: string[] = []
  const succeeded = new Set<string>()
  let successes = 0

  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const choose = chooser(writer + 1)
      for (let step = 0; step < stepsPerWriter; step++) {
        const [what, act] = choose(acts)
        const { status, text } = await act(world, choose, `${writer}-${step}`)
        if (status >= 500) bugs.push(`${what}: ${status} ${text}`)
        if (status >= 300) continue
        succeeded.add(what)
        successes += 1
      }
    }),
  )

  expect(bugs).toEqual([])
  expect([...succeeded]).toEqual(expect.arrayContaining(mustSucceed))
  expect(successes).toBeGreaterThan((writers * stepsPerWriter) / 4)
  const { db } = server.deps
  expect(await wrongTopics(db)).toEqual([])
  expect(await wrongNames(db)).toEqual([])
  expect(await wrongStars(db)).toEqual([])
  expect(await wrongPaths(db)).toEqual([])
  // The lists agree with the counts.
  for (const { name, total } of await countedTopics(db)) {
    const list = await server.admin.get(`/projects?topic=${name}&per_page=1`)
    expect([name, list.headers['x-total']]).toEqual([name, String(total)])
  }
})

/** Asserts that every kind of action was executed at least once. */
const mustSucceed = ['merge topics', 'undo a merge', 'give a topic an alias', 'import topics', 'set topics']

interface World {
  admin: Client
  clients: Client[]
  /** Ids that existed at some time; some have been deleted. */
  groups: number[]
  projects: number[]
  topics: number[]
  users: number[]
}

type Choose = <T>(from: readonly T[]) => T
type Act = readonly [what: string, act: (world: World, choose: Choose, label: string) => Promise<Reply>]

const acts: readonly Act[] = [
  ['create a project', (world, choose, label) => create(world, choose, label, choose(world.groups))],
  ['create another project', (world, choose, label) => create(world, choose, label, choose(world.groups))],
  ['delete a project', ({ admin, projects }, choose) => admin.delete(`/projects/${choose(projects)}`)],
  [
    'change a visibility',
    ({ clients, projects }, choose) =>
      choose(clients).put(`/projects/${choose(projects)}`, { visibility: choose(visibilities) }),
  ],
  [
    'transfer a project',
    ({ clients, projects, groups }, choose) =>
      choose(clients).put(`/projects/${choose(projects)}/transfer`, { namespace: choose(groups) }),
  ],
  [
    'transfer a project to a user',
    ({ admin, projects }, choose, label) =>
      admin.put(`/projects/${choose(projects)}/transfer`, { namespace: `user-${label.length % 3}` }),
  ],
  [
    'set topics',
    ({ clients, projects }, choose) =>
      choose(clients).put(`/projects/${choose(projects)}`, { topics: some(choose), visibility: choose(visibilities) }),
  ],
  [
    'set topics and nothing else',
    ({ clients, projects }, choose) => choose(clients).put(`/projects/${choose(projects)}`, { topics: some(choose) }),
  ],
  [
    'archive',
    ({ clients, projects }, choose) =>
      choose(clients).post(`/projects/${choose(projects)}/${choose(['archive', 'unarchive'])}`),
  ],
  [
    'merge topics',
    ({ admin, topics }, choose) =>
      admin.post('/topics/merge', { source_topic_id: choose(topics), target_topic_id: choose(topics) }),
  ],
  [
    'merge topics and forget the name',
    ({ admin, topics }, choose) =>
      admin.post('/topics/merge', {
        source_topic_id: choose(topics),
        target_topic_id: choose(topics),
        keep_alias: false,
      }),
  ],
  ['undo a merge', undoMerge],
  ['undo a merge', undoMerge],
  ['give a topic an alias', addAlias],
  ['remove an alias', removeAlias],
  [
    'rename a topic',
    ({ admin, topics }, choose) => admin.put(`/topics/${choose(topics)}`, { name: choose(names).toUpperCase() }),
  ],
  ['import topics', importTopics],
  ['delete a topic', ({ admin, topics }, choose) => admin.delete(`/topics/${choose(topics)}`)],
  ['create a topic', createTopic],
  ['create a group with projects, and delete it', comeAndGo],
  ['delete a user with their projects', leave],
  [
    'star',
    ({ clients, projects }, choose) =>
      choose(clients).post(`/projects/${choose(projects)}/${choose(['star', 'unstar'])}`),
  ],
  [
    'rename a project',
    ({ clients, projects }, choose, label) =>
      choose(clients).put(`/projects/${choose(projects)}`, { path: `p${label}` }),
  ],
  [
    'rename a group',
    ({ clients, groups }, choose, label) => choose(clients).put(`/groups/${choose(groups)}`, { path: `g${label}` }),
  ],
]

async function settle(server: TestServer): Promise<World> {
  const { admin } = server
  const clients = [await server.user('user-0'), await server.user('user-1'), await server.user('user-2')]
  const world: World = { admin, clients: [...clients, admin], groups: [], projects: [], topics: [], users: [] }
  for (const [number, visibility] of [...visibilities, ...visibilities].entries()) {
    // The second half are subgroups of the first.
    const parent = number >= 3 ? world.groups[number - 3] : undefined
    const group = { name: `group ${number}`, path: `group-${number}`, visibility, parent_id: parent }
    const { body } = await admin.post('/groups', group)
    world.groups.push(body.id)
    for (const client of clients) {
      await admin.post(`/groups/${body.id}/members`, { user_id: client.user?.id, access_level: 50 })
    }
  }
  for (const name of names) world.topics.push((await admin.post('/topics', { name, title: name })).body.id)
  for (let number = 0; number < 20; number++) {
    const choose = chooser(1000 + number)
    await create(world, choose, `first-${number}`, choose(world.groups))
  }
  return world
}

async function create(world: World, choose: Choose, label: string, namespaceId: number): Promise<Reply> {
  const project = {
    name: `project ${label}`,
    path: `project-${label}`,
    namespace_id: namespaceId,
    topics: some(choose),
  }
  const created = await choose(world.clients).post('/projects', { ...project, visibility: choose(visibilities) })
  if (created.status === 201) world.projects.push(created.body.id)
  return created
}

async function createTopic({ admin, topics }: World, choose: Choose): Promise<Reply> {
  const name = choose(names)
  const created = await admin.post('/topics', { name, title: name })
  if (created.status === 201) topics.push(created.body.id)
  return created
}

/** Undoes a change completely, partly or not at all, concurrently with other undo requests. */
async function undoMerge({ admin, topics }: World, choose: Choose): Promise<Reply> {
  const { body: merges } = await admin.get('/topics/merges?per_page=20')
  const open = merges.filter((merge: { undone_at: string | null }) => merge.undone_at === null)
  const id = open.length > 0 ? choose(open as { id: number }[]).id : 0
  const undone = await admin.post(`/topics/merges/${id}/undo`, { partial: choose([true, true, false]) })
  if (undone.status === 201) topics.push(undone.body.id)
  return undone
}

async function addAlias({ admin }: World, choose: Choose): Promise<Reply> {
  return admin.post(`/topics/${await oneThatIsThere(admin, choose)}/aliases`, { name: choose(aliases) })
}

async function removeAlias({ admin }: World, choose: Choose): Promise<Reply> {
  const path = `/topics/${await oneThatIsThere(admin, choose)}/aliases`
  const { status, body } = await admin.get(path)
  const name = status === 200 && body.length > 0 ? choose(body as { name: string }[]).name : choose(aliases)
  return admin.delete(path, { name })
}

/** May fail when it is deleted concurrently. */
async function oneThatIsThere(admin: Client, choose: Choose): Promise<number> {
  const { body } = await admin.get('/topics?per_page=100')
  return body.length > 0 ? choose(body as { id: number }[]).id : 0
}

function importTopics({ admin }: World, choose: Choose): Promise<Reply> {
  const [first, second] = [choose(names), choose(names)]
  const topics = [{ name: first, title: second, aliases: choose([[], [choose(aliases)]]) }]
  return admin.post('/topics/import', formWithFile('file', 'topics.json', JSON.stringify({ version: 1, topics })))
}

/** Other workers transfer projects into it concurrently. */
async function comeAndGo(world: World, choose: Choose, label: string): Promise<Reply> {
  const { body } = await world.admin.post('/groups', {
    name: `brief ${label}`,
    path: `brief-${label}`,
    visibility: 'public',
  })
  world.groups.push(body.id)
  await create(world, choose, `in-${label}`, body.id)
  await world.admin.put(`/projects/${choose(world.projects)}/transfer`, { namespace: body.id })
  return world.admin.delete(`/groups/${body.id}`)
}

async function leave(world: World, choose: Choose, label: string): Promise<Reply> {
  const { admin } = world
  const user = { username: `u-${label}`, name: label, email: `${label}@example.test`, force_random_password: true }
  const { body } = await admin.post('/users', user)
  const project = { name: `own ${label}`, topics: some(choose), visibility: choose(visibilities) }
  const own = await admin.post(`/projects/user/${body.id}`, project)
  if (own.status === 201) world.projects.push(own.body.id)
  return admin.delete(`/users/${body.id}`)
}

function some(choose: Choose): string[] {
  return [choose(names), choose(names), choose(names)]
}

/** Returns a deterministic generator of random numbers. */
function chooser(seed: number): Choose {
  let state = seed * 2_654_435_761
  return (from) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0
    const chosen = from[(state >>> 8) % from.length]
    if (chosen === undefined) throw new Error('nothing to choose from')
    return chosen
  }
}

interface Counted {
  name: string
  total: number
  open: number
}

function countedTopics(db: Db): Promise<Counted[]> {
  return db.all(sql`
    select t.name, count(p.id) as total, count(case when p.visibility <> 'private' then 1 end) as open
    from topics t left join project_topics a on a.topic_id = t.id left join projects p on p.id = a.project_id
    group by t.id, t.name order by t.id`)
}

async function wrongTopics(db: Db): Promise<unknown[]> {
  const counted = await countedTopics(db)
  const kept = await db.all<Counted>(sql`
    select name, total_projects_count as total, non_private_projects_count as open from topics order by id`)
  expect(counted.length).toBeGreaterThan(0)
  return kept.filter((topic, index) => JSON.stringify(topic) !== JSON.stringify(counted[index]))
}

/** Returns topics without exactly one own name, and names in another organization than their topic. */
function wrongNames(db: Db): Promise<unknown[]> {
  return db.all(sql`
    select t.id, t.name from topics t
    where 1 <> (select count(*) from topic_names n where n.topic_id = t.id and not n.is_alias)
    union all
    select n.id, n.name from topic_names n join topics t on t.id = n.topic_id
    where n.organization_id <> t.organization_id or n.name_key <> lower(n.name)
      or (not n.is_alias and n.name <> t.name) or t.name_key <> lower(t.name)`)
}

function wrongStars(db: Db): Promise<unknown[]> {
  return db.all(sql`
    select id, star_count from projects p
    where star_count <> (select count(*) from project_stars s where s.project_id = p.id)`)
}

/** Returns paths that do not match their parent's path, and redirects of paths that are in use. */
function wrongPaths(db: Db): Promise<unknown[]> {
  return db.all(sql`
    select p.full_path as wrong from projects p join namespaces n on n.id = p.namespace_id
    where p.full_path <> n.full_path || '/' || p.path or p.full_path_key <> lower(p.full_path)
    union all
    select n.full_path from namespaces n join namespaces parent on parent.id = n.parent_id
    where n.full_path <> parent.full_path || '/' || n.path or n.full_path_key <> lower(n.full_path)
    union all
    select path_key from moved_paths where path_key in (select full_path_key from projects)
      or path_key in (select full_path_key from namespaces)`)
}
