import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type PermissionRow, permissions } from '../../domain/access/permissions.ts'
import type { Role } from '../../domain/access/roles.ts'
import { errorResponse } from '../../http/errors.ts'
import type { Guard } from '../../http/guard.ts'
import type { Route } from '../../http/route.ts'
import { routes } from '../../routes.ts'
import type { Client } from '../../testing/client.ts'
import { people as roles } from '../../testing/roles.ts'
import { startServer, type TestServer } from '../../testing/server.ts'
import { createGuard } from './guard.ts'

const file = new URL('../../../../../docs/permission-matrix.md', import.meta.url)
const people = [...roles, 'read_api'] as const
const visibilities = ['public', 'internal', 'private'] as const
type Person = (typeof people)[number]

/** Returns the guard's response before the handler; `·` means that the request is permitted. */
async function cell(guard: Guard, route: Route, client: Client, id: number): Promise<string> {
  const credentials = {
    isReading: route.method === 'GET',
    address: '127.0.0.1',
    isLocal: false,
    ...(client.token && { token: client.token }),
  }
  try {
    const caller = await guard.authenticate(route.permission, credentials)
    await guard.authorize(route.permission, caller, String(id))
    return '·'
  } catch (error) {
    return String(errorResponse(error).status)
  }
}

async function clientOf(server: TestServer, person: Person, add: (role: Role, client: Client) => Promise<unknown>) {
  if (person === 'anonymous') return server.anonymous
  if (person === 'admin') return server.admin
  const client = await server.user(`matrix-${person.replace('_', '-')}-${++users}`)
  if (person === 'outsider') return client
  // The read-only token belongs to an owner, so that only its scope can be the reason for a rejection.
  await add(person === 'read_api' ? 'owner' : person, client)
  return person === 'read_api' ? server.client(client, { scopes: ['read_api'] }) : client
}
let users = 0

/** An owner of an archived project that has a vulnerability. */
async function archivedProject(server: TestServer) {
  const project = await server.project('matrix/archived')
  const client = await server.as('owner', project)
  const vulnerabilityId = (await server.vulnerability({ id: project.id })).id
  expect((await server.admin.post(`/projects/${project.id}/archive`)).status).toBe(201)
  return { client, project: project.id, vulnerability: vulnerabilityId }
}

const levels: Record<Role, number> = { guest: 10, planner: 15, reporter: 20, developer: 30, maintainer: 40, owner: 50 }

async function matrix(): Promise<string> {
  const server = await startServer()
  const guard = createGuard(server.deps)
  const lines: string[] = []
  const clients = new Map<string, { client: Client; id: number }>()
  const vulnerabilities = new Map<string, number>()
  for (const kind of ['project', 'group'] as const) {
    for (const visibility of visibilities) {
      const made =
        kind === 'project'
          ? (await server.project(`matrix/${visibility}`, { visibility })).id
          : (await server.admin.post('/groups', { name: visibility, path: `matrix-${visibility}`, visibility })).body.id
      for (const person of people) {
        const client = await clientOf(server, person, async (role, { user }) => {
          const member = { user_id: user?.id, access_level: levels[role] }
          const added = await server.admin.post(`/${kind}s/${made}/members`, member)
          expect(added.status).toBe(201)
        })
        clients.set(`${kind} ${visibility} ${person}`, { client, id: made })
      }
      if (kind === 'project') vulnerabilities.set(visibility, (await server.vulnerability({ id: made })).id)
    }
  }
  const archived = await archivedProject(server)
  for (const route of routes) {
    const row: PermissionRow = permissions[route.permission]
    const cells: string[] = []
    for (const person of people) {
      const answers: string[] = []
      for (const visibility of row.on === 'instance' ? (['public'] as const) : visibilities) {
        const found = clients.get(`${row.on === 'group' ? 'group' : 'project'} ${visibility} ${person}`)
        const id = row.on === 'vulnerability' ? vulnerabilities.get(visibility) : found?.id
        if (found && id !== undefined) answers.push(await cell(guard, route, found.client, id))
      }
      cells.push(new Set(answers).size === 1 ? (answers[0] ?? '') : answers.join(' '))
    }
    const isOnProject = row.on === 'project' || row.on === 'vulnerability'
    cells.push(isOnProject ? await cell(guard, route, archived.client, archived[row.on]) : '')
    lines.push(`| ${route.method} | \`${route.path}\` | ${route.permission} | ${cells.join(' | ')} |`)
  }
  const head = [
    '',
    'route',
    'permission',
    ...people.map((person) => (person === 'read_api' ? 'owner with a `read_api` token' : person)),
    'owner of an archived project',
  ]
  return `${introduction}\n| ${head.join(' | ')} |\n|${head.map(() => '---|').join('')}\n${lines.join('\n')}\n`
}

const introduction = `# Who may do what

Made by \`permission-matrix.api.test.ts\` from the real guard; with \`ALCOVE_TEST_WRITE=1\` the test writes this file again.
A cell is the status that refuses, or \`·\` where the request is let through; three cells in one stand for a public, an
internal and a private project or group; vulnerabilities are detected, so that to revert one is to change nothing (304).
The last column applies to projects: an archived one is read-only.
A changed cell is a changed access rule.
`

test('the permission matrix equals the reviewed file', async () => {
  const made = await matrix()
  if (process.env['ALCOVE_TEST_WRITE']) writeFileSync(file, made)
  expect(made).toBe(readFileSync(file, 'utf8'))
}, 60_000)

test('every permission is used by a route', () => {
  const used = new Set<string>(routes.map(({ permission }) => permission))
  expect(Object.keys(permissions).filter((name) => !used.has(name))).toEqual([])
})
