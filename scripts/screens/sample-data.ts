import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const collection = fileURLToPath(new URL('../../../shared/data/', import.meta.url))
const fixtures = fileURLToPath(new URL('../../packages/server/src/domain/reports/', import.meta.url))

/**
 * Fills a new server with sample data for every screen: files of the collection if it exists, otherwise test fixtures.
 * Returns the ids that the addresses of screens refer to.
 */
export async function addSampleData(origin: string, token: string): Promise<Record<string, string>> {
  const call = caller(origin, token)
  const shop = await addProjects(call)
  const people = await addPeople(call, shop)
  const named = await addUploads(call, shop)
  const worst = await addFindings(call, shop)
  const topic = await addTopics(call)
  await call('POST', '/organizations', { name: 'Annex', path: 'annex', description: 'A house of its own.' })
  const hook = await addHook(call, shop, origin)
  const invitation = await addInvitations(call, shop)
  await call('PUT', `/users/${people[2]}`, { external: true })
  await call('POST', `/users/${people[1]}/block`)
  return {
    hook: String(hook),
    invitation,
    shop: String(shop),
    picture: String(named('alpha.png')),
    text: String(named('notes.md')),
    nadia: String(people[0]),
    topic: String(topic),
    vulnerability: String(worst),
  }
}

type Call = ReturnType<typeof caller>

/** Creates groups and projects with topics. Returns the id of the project that all else belongs to. */
async function addProjects(call: Call): Promise<number> {
  const acme = await call('POST', '/groups', { name: 'Acme', path: 'acme', visibility: 'public' })
  const below = { name: 'Tools', path: 'tools', parent_id: acme.id, visibility: 'public' }
  const tools = await call('POST', '/groups', below)
  for (const [name, title, description] of topics) await call('POST', '/topics', { name, title, description })

  const shop = await call('POST', '/projects', {
    name: 'Shop',
    path: 'shop',
    namespace_id: acme.id,
    visibility: 'public',
    description: 'The shop’s storefront and its checkout.',
    topics: ['typescript', 'web', 'payments'],
  })
  for (const [name, description, visibility, given] of projects) {
    const place = name.startsWith('Build') ? tools : acme
    await call('POST', '/projects', { name, namespace_id: place.id, visibility, description, topics: given })
  }
  return shop.id
}

/** Creates users with tokens and projects of their own, and makes them members. Returns their ids. */
async function addPeople(call: Call, shop: number): Promise<number[]> {
  const people: number[] = []
  for (const [index, [username, name]] of users.entries()) {
    const password = 'correct horse battery'
    const { id } = await call('POST', '/users', { username, name, email: `${username}@example.test`, password })
    await call('POST', `/projects/${shop}/members`, { user_id: id, access_level: [40, 30, 20][index] ?? 10 })
    people.push(id)
  }
  for (const [name, scopes] of tokens) {
    await call('POST', `/users/${people[0]}/personal_access_tokens`, { name, scopes })
  }
  const nadia = (name: string) => call('POST', '/projects?sudo=nadia', { name, visibility: 'public' })
  for (const name of ['Notes', 'Sketches']) await nadia(name)
  return people
}

/** Invites people without an account. Returns the secret of the last link. */
async function addInvitations(call: Call, shop: number): Promise<string> {
  const path = `/projects/${shop}/invitations`
  await call('POST', path, { email: 'mira.lindqvist@example.test', access_level: 20 })
  const last = { email: 'sam@example.test', access_level: 30, expires_at: '2099-12-31', show_links: true }
  const { links } = await call('POST', path, last)
  return links[last.email].token
}

/** Uploads files and deletes the last two. Returns the function that finds the id of a file by name. */
async function addUploads(call: Call, shop: number): Promise<(name: string) => number | undefined> {
  await call('PUT', `/projects/${shop}/uploads/limits`, { quota_bytes: 4 * 1024 * 1024 })
  const uploads: { id: number; url: string }[] = []
  for (const [index, file] of attachments().entries()) {
    const uploader = ['root', ...users.map(([username]) => username)][index % 4]
    uploads.push(await call('POST', `/projects/${shop}/uploads?sudo=${uploader}`, formOf(file)))
  }
  for (const { id } of uploads.slice(-2)) await call('DELETE', `/projects/${shop}/uploads/${id}`)
  return (name) => (uploads.find(({ url }) => url.endsWith(`/${name}`)) ?? uploads[0])?.id
}

/** Imports reports and triages some vulnerabilities. Returns the id of one of them. */
async function addFindings(call: Call, shop: number): Promise<number> {
  for (const [index, file] of reports().entries()) {
    const form = formOf(file)
    form.append('promote', String(index % 3 !== 2))
    await call('POST', `/projects/${shop}/security_reports`, form).catch((error) => console.warn(String(error)))
  }
  const list = `/projects/${shop}/vulnerabilities`
  const worst = await call('GET', `${list}?per_page=4`)
  if (worst[1]) await call('POST', `/vulnerabilities/${worst[1].id}/confirm`)
  const mild = await call('GET', `${list}?severity=low,medium&sort=detected_asc&per_page=24`)
  const done = mild.map(({ id }: { id: number }) => id)
  await call('POST', `${list}/bulk`, { action: 'resolve', vulnerability_ids: done })
  if (worst[2]) await call('POST', `/vulnerabilities/${worst[2].id}/dismiss`, { dismissal_reason: 'used_in_tests' })
  return worst[1]?.id ?? 1
}

async function addHook(call: Call, shop: number, origin: string): Promise<number> {
  const hook = await call('POST', `/projects/${shop}/hooks`, {
    url: `${origin}/-/nobody-listens-here`,
    name: 'Team chat',
    vulnerability_events: true,
  })
  // The request is rejected, so that the delivery log shows a failure.
  await call('POST', `/projects/${shop}/hooks/${hook.id}/test/vulnerability_events`).catch(() => {})
  return hook.id
}

function formOf(file: string): FormData {
  const form = new FormData()
  form.append('file', new Blob([readFileSync(file)]), file.slice(file.lastIndexOf('/') + 1))
  return form
}

/** Creates a topic with aliases, a merge, and possible duplicates. */
async function addTopics(call: Call): Promise<number> {
  const listed = await call('GET', '/topics?per_page=100')
  const idOf = (name: string): number => listed.find((topic: { name: string }) => topic.name === name)?.id
  const old = await call('POST', '/topics', { name: 'front-end', title: 'Front end' })
  await call('POST', '/topics', { name: 'data-visualization', title: 'Data visualization' })
  await call('POST', '/topics/merge', { source_topic_id: old.id, target_topic_id: idOf('web') })
  await call('POST', `/topics/${idOf('web')}/aliases`, { name: 'www' })
  for (const name of ['ts', 'type-script']) await call('POST', `/topics/${idOf('typescript')}/aliases`, { name })
  return idOf('web')
}

const tokens = [
  ['nightly import', ['api']],
  ['dashboard', ['read_api']],
] as const

const topics = [
  ['typescript', 'TypeScript', 'JavaScript with types.'],
  ['javascript', 'JavaScript', 'The language of the web.'],
  ['java-script', 'Java Script', ''],
  ['web', 'Web', 'What runs in a browser, or feeds one.'],
  ['payments', 'Payments', 'Money, moved.'],
  ['data-visualisation', 'Data visualisation', 'Numbers that people can see.'],
] as const

const projects = [
  ['Charts', 'Charts without a library.', 'public', ['data-visualisation', 'typescript']],
  ['Ledger', 'Who owes whom.', 'private', ['payments']],
  ['Build tools', 'What builds everything else.', 'internal', ['typescript']],
  ['Website', 'The public site.', 'public', ['web', 'javascript']],
] as const

const users = [
  ['nadia', 'Nadia'],
  ['tomas', 'Tomas'],
  ['wei', 'Wei'],
] as const

function attachments(): string[] {
  const folder = join(collection, 'attachments')
  const wanted = [
    'alpha.png',
    'plain.jpg',
    'photo.webp',
    'animated.gif',
    'clip.mp4',
    'tone.mp3',
    'plain.pdf',
    'notes.md',
    'table.csv',
    'plain.svg',
    'letter.docx',
    'archive.tar.gz',
    'terminal.log',
    'page.html',
  ]
  const found = wanted.map((name) => join(folder, name)).filter((file) => existsSync(file))
  return found.length > 0 ? found : [fileURLToPath(new URL('../../docs/picture.svg', import.meta.url))]
}

/** Returns a few reports of each format, without the hostile ones. */
function reports(): string[] {
  const root = existsSync(join(collection, 'reports')) ? join(collection, 'reports') : fixtures
  const folders = readdirSync(root, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== 'hostile',
  )
  return folders.flatMap(({ name }) => filesBelow(join(root, name)).slice(0, 3))
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesBelow(path) : ['.json', '.sarif'].includes(extname(path)) ? [path] : []
    })
    .sort()
}

function caller(origin: string, token: string) {
  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape
  return async (method: string, path: string, body?: object): Promise<any> => {
    const isForm = body instanceof FormData
    const response = await fetch(`${origin}/api/v4${path}`, {
      method,
      headers: { 'PRIVATE-TOKEN': token, ...(body && !isForm && { 'Content-Type': 'application/json' }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.status === 204 ? undefined : response.json()
  }
}
