import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { findIdentities } from '../../../domain/oidc/identities.ts'
import { unlinkIdentities } from '../../../domain/oidc/unlink.ts'
import type { MappingRule } from '../../../platform/settings/oidc-mapping.ts'
import type { OidcProvider } from '../../../platform/settings/oidc-settings.ts'
import { newestEvents } from '../../../testing/audit-events.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { cookiesOf, problemIn, sessionOf, signInAt } from '../../../testing/provider-sign-in.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'
import { startScriptedProvider } from '../../../testing/stand-ins/scripted-provider.ts'

const nadia = { sub: 'n-1', preferred_username: 'nadia' }
const mapping: MappingRule[] = [
  { value: 'admins', administrator: true },
  { value: 'dev', membership: { group: 'Acme', role: 'developer' } },
  { value: 'lead', membership: { group: 'acme', role: 'maintainer' } },
  { value: 'dev', membership: { group: 'no/such', role: 'guest' } },
  { value: 'ops', claim: 'realm_access.roles', membership: { group: 'ops', role: 'reporter' } },
]

async function start(settings: Partial<OidcProvider> = {}) {
  const provider = await startScriptedProvider({ mapping, ...settings })
  const server = await startServer({ settings: { oidc: { providers: [provider.settings], reachesPrivate: true } } })
  const project = await server.project('acme/site')
  await server.admin.post('/groups', { name: 'ops', path: 'ops', visibility: 'private' })
  const signIn = (claims: object) => signInAt(server, provider, { ...nadia, ...claims })
  return { provider, server, project, signIn }
}

/** Returns the direct members of a group that are not the administrator of the test, by access level. */
async function levels(server: TestServer, group: string): Promise<Record<string, number>> {
  const { body } = await server.admin.get(`/groups/${group}/members`)
  const members = body.filter(({ username }: { username: string }) => username !== 'root')
  return Object.fromEntries(
    members.map((one: { username: string; access_level: number }) => [one.username, one.access_level]),
  )
}

test.runIf(onSqlite)(
  'claims give roles in groups, the highest of several, from texts, lists and nested claims',
  async () => {
    const { server, signIn } = await start()
    await signIn({ groups: 'dev' })
    expect(await levels(server, 'acme')).toEqual({ nadia: 30 })
    await signIn({ groups: ['dev', 'lead', 7, { dev: true }], realm_access: { roles: ['ops'] } })
    expect(await levels(server, 'acme')).toEqual({ nadia: 40 })
    expect(await levels(server, 'ops')).toEqual({ nadia: 20 })
  },
)

test.runIf(onSqlite)(
  'a group that is no longer claimed is lost with the next request after the next sign-in',
  async () => {
    const { server, project, signIn } = await start()
    const cookie = cookiesOf(await signIn({ groups: ['dev'] }))
    const read = () => server.anonymous.get(`/projects/${project.id}`, { headers: { cookie, 'x-alcove-session': '1' } })
    expect((await read()).status).toBe(200)
    await signIn({ groups: [] })
    // The former session of the user has lost the access too.
    expect((await read()).status).toBe(404)
    expect(await levels(server, 'acme')).toEqual({})
  },
)

test.runIf(onSqlite)('a missing claim removes what the mapping gave', async () => {
  const { server, signIn } = await start()
  await signIn({ groups: ['lead'] })
  await signIn({})
  expect(await levels(server, 'acme')).toEqual({})
})

test.runIf(onSqlite)('a membership given or changed by hand stays', async () => {
  const { server, signIn } = await start()
  const { user } = await sessionOf(server, await signIn({ groups: [] }))
  await server.admin.post('/groups/acme/members', { user_id: user.id, access_level: 20 })
  await signIn({ groups: ['lead'] })
  await signIn({ groups: [] })
  expect(await levels(server, 'acme')).toEqual({ nadia: 20 })

  await signIn({ realm_access: { roles: ['ops'] } })
  await server.admin.put(`/groups/ops/members/${user.id}`, { access_level: 40 })
  await signIn({ realm_access: { roles: [] } })
  expect(await levels(server, 'ops')).toEqual({ nadia: 40 })
})

test.runIf(onSqlite)('administrator rights are given and taken back, and those given by hand stay', async () => {
  const { server, signIn } = await start()
  const isAdmin = async (reply: Awaited<ReturnType<typeof signIn>>) => (await sessionOf(server, reply)).is_admin
  expect(await isAdmin(await signIn({ groups: 'admins' }))).toBe(true)
  const demoted = await signIn({ groups: 'dev' })
  expect(await isAdmin(demoted)).toBe(false)
  const { user } = await sessionOf(server, demoted)
  await server.admin.put(`/users/${user.id}`, { admin: true })
  await signIn({ groups: 'admins' })
  expect(await isAdmin(await signIn({ groups: [] }))).toBe(true)
})

test.runIf(onSqlite).each<[string, object]>([
  ['more than 2000 values', { groups: Array.from({ length: 2001 }, (_, index) => `g${index}`) }],
  ['more than 256 KiB', { groups: ['x'.repeat(256 * 1024)] }],
  ['values left out by the provider for their number', { _claim_names: { groups: 'src1' }, _claim_sources: {} }],
  ['hasgroups in its place', { hasgroups: true }],
])('a claim with %s refuses the sign-in and changes nothing', async (_title, claims) => {
  const { server, signIn } = await start()
  await signIn({ groups: ['lead'] })
  const reply = await signIn(claims)
  expect(problemIn(reply)).toBe('too_many_claims')
  expect(reply.cookies).toEqual([])
  expect(await levels(server, 'acme')).toEqual({ nadia: 40 })
})

describe('DELETE /users/:id/identities/:provider', () => {
  test('takes back what the mapping gave, ends the sessions of the provider, and records an event', async () => {
    const { server, signIn } = await start()
    const signedIn = await signIn({ groups: ['lead', 'admins'], realm_access: { roles: 'ops' } })
    const { user } = await sessionOf(server, signedIn)
    await server.admin.put(`/groups/ops/members/${user.id}`, { access_level: 40 })
    const path = `/users/${user.id}/identities/corp`
    expect(await server.admin.delete(path)).toMatchObject({ status: 204 })
    expect((await sessionOf(server, signedIn)).user).toBeNull()
    expect((await server.admin.get(`/users/${user.id}/identities`)).body).toEqual([])
    expect((await server.admin.get(`/users/${user.id}`)).body.is_admin).toBe(false)
    expect([await levels(server, 'acme'), await levels(server, 'ops')]).toEqual([{}, { nadia: 40 }])
    const [event] = await newestEvents(server)
    expect(event).toMatchObject({ name: 'user_identity_unlinked', details: { provider: 'corp', subject: 'n-1' } })
    expect(await server.admin.delete(path)).toMatchObject({ status: 404, body: { message: '404 Identity Not Found' } })
    // The account is unknown from now on.
    expect((await sessionOf(server, await signIn({}))).user.id).not.toBe(user.id)
  })

  test.runIf(onSqlite)('is for administrators, and returns 404 for an unknown user or provider', async () => {
    const { server, signIn } = await start()
    const { user } = await sessionOf(server, await signIn({}))
    const outsider = await server.user('omar')
    expect((await outsider.delete(`/users/${user.id}/identities/corp`)).status).toBe(403)
    expect((await server.anonymous.delete(`/users/${user.id}/identities/corp`)).status).toBe(401)
    expect((await server.admin.delete(`/users/${user.id}/identities/other`)).status).toBe(404)
    const unknown = await server.admin.delete('/users/99999/identities/corp')
    expect(unknown).toMatchObject({ status: 404, body: { message: '404 User Not Found' } })
    expect((await server.admin.get(`/users/${user.id}/identities`)).body).toHaveLength(1)
  })

  test('is refused for the account that makes the last administrator one, and changes nothing', async () => {
    const { server, signIn } = await start()
    const { user } = await sessionOf(server, await signIn({ groups: ['admins', 'dev'] }))
    await server.deps.db.run(sql`update users set is_admin = false where id <> ${user.id}`)
    await expect(unlinkIdentities(server.deps, user.id, 'corp')).rejects.toMatchObject({ cause: { kind: 'forbidden' } })
    expect(await findIdentities(server.deps, user.id)).toHaveLength(1)
  })
})

test('the last administrator keeps the rights until there is another one, with a warning', async () => {
  const { server, signIn } = await start()
  const { user } = await sessionOf(server, await signIn({ groups: 'admins' }))
  const setOthers = (isAdmin: boolean) =>
    server.deps.db.run(sql`update users set is_admin = ${isAdmin} where username = 'root'`)
  await setOthers(false)
  expect((await sessionOf(server, await signIn({ groups: [] }))).is_admin).toBe(true)
  const outcome = async () => (await findIdentities(server.deps, user.id))[0]?.outcome
  expect(await outcome()).toEqual([{ step: 'kept last administrator' }])
  const events = await newestEvents(server)
  expect(events.map(({ name }) => name)).toContain('last_administrator_kept')
  await setOthers(true)
  expect((await sessionOf(server, await signIn({ groups: [] }))).is_admin).toBe(false)
  expect(await outcome()).toEqual([{ step: 'removed administrator' }])
})

test('the last owner of a group loses the role, with a warning', async () => {
  const owner: MappingRule = { value: 'boss', membership: { group: 'acme', role: 'owner' } }
  const { server, signIn } = await start({ mapping: [owner, ...mapping] })
  const { user } = await sessionOf(server, await signIn({ groups: 'boss' }))
  const outcome = async () => (await findIdentities(server.deps, user.id))[0]?.outcome
  await signIn({ groups: ['boss', 'lead'] })
  await server.deps.db.run(sql`delete from members where user_id <> ${user.id}`)
  await signIn({ groups: 'lead' })
  expect(await outcome()).toEqual([
    { step: 'member', group: 'acme', accessLevel: 40 },
    { step: 'without owner', group: 'acme' },
  ])
  await signIn({ groups: 'boss' })
  await signIn({})
  expect(await outcome()).toEqual([
    { step: 'removed', group: 'acme' },
    { step: 'without owner', group: 'acme' },
  ])
})

test.runIf(onSqlite)('administrators see what the last sign-in claimed and how it was applied', async () => {
  const { server, provider, signIn } = await start()
  const { user } = await sessionOf(server, await signIn({ groups: ['lead'] }))
  await signIn({ groups: ['dev', 'admins'], email: 'n@corp.test' })
  await signIn({ groups: ['admins'], realm_access: { roles: 'ops' } })
  const { body } = await server.admin.get(`/users/${user.id}/identities`)
  expect(body).toEqual([
    {
      id: expect.any(Number),
      provider: 'corp',
      provider_name: 'Corp',
      issuer: provider.issuer,
      subject: 'n-1',
      created_at: expect.any(String),
      last_sign_in_at: expect.any(String),
      claims: { ...nadia, iss: provider.issuer, groups: ['admins'], realm_access: { roles: 'ops' } },
      outcome: [
        { step: 'administrator', group: null, access_level: null },
        { step: 'member', group: 'ops', access_level: 20 },
        { step: 'removed', group: 'acme', access_level: null },
      ],
    },
  ])
  const outsider = await server.user('omar')
  expect((await outsider.get(`/users/${user.id}/identities`)).status).toBe(403)
})
