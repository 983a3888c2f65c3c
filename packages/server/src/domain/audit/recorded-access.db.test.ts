import { describe, expect, test } from 'vitest'
import { countEvents, newestEvents } from '../../testing/audit-events.ts'
import { onSqlite } from '../../testing/databases/database.ts'
import { sessionOf, signInAt } from '../../testing/provider-sign-in.ts'
import { entry } from '../../testing/reports/reports.ts'
import { startServer } from '../../testing/server.ts'
import { startScriptedProvider } from '../../testing/stand-ins/scripted-provider.ts'
import { trackerSettings } from '../../testing/trackers.ts'
import { createSignInLink } from '../sign-in/sign-in-links.ts'

describe('the audit log records', () => {
  test('what is done with an invitation, without its link', async () => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const path = `/projects/${project.id}/invitations`
    const invited = { email: 'new@example.test', access_level: 30, show_links: true }
    const { body } = await server.admin.post(path, invited)
    await server.admin.put(`${path}/new@example.test`, { access_level: 20 })
    // A change to the same role is none.
    await server.admin.put(`${path}/new@example.test`, { access_level: 20 })
    await server.admin.post(`${path}/new@example.test/resend`)
    await server.admin.delete(`${path}/new@example.test`)
    const events = await newestEvents(server, 4)
    expect(events.map(({ name }) => name)).toEqual([
      'invitation_destroyed',
      'invitation_link_replaced',
      'invitation_updated',
      'invitation_created',
    ])
    expect(events[2]).toMatchObject({
      entityType: 'Project',
      entityId: project.id,
      authorId: 1,
      details: { change: 'access_level', from: 'Developer', to: 'Reporter', target_details: 'new@example.test' },
    })
    expect(JSON.stringify(events)).not.toContain(body.links['new@example.test'].token)
  })

  test.runIf(onSqlite)('who accepts an invitation, also with a new account', async () => {
    const server = await startServer({ settings: { invitedAccounts: 'administrators' } })
    const project = await server.project('acme/site')
    const path = `/projects/${project.id}/invitations`
    const inviteBy = async (email: string) => {
      const { body } = await server.admin.post(path, { email, access_level: 30, show_links: true })
      return body.links[email].token
    }
    const nadia = await server.user('nadia')
    const token = await inviteBy('second@example.test')
    expect((await nadia.post('//-/invitations/accept', { token })).status).toBeLessThan(300)
    const [added, accepted] = await newestEvents(server, 2)
    expect(accepted).toMatchObject({
      name: 'invitation_accepted',
      authorId: nadia.user?.id,
      details: { target_details: 'second@example.test', access_level: 'Developer' },
    })
    expect(added).toMatchObject({ name: 'member_created', authorId: nadia.user?.id })

    const account = { username: 'newcomer', name: 'New Comer', password: 'another horse battery' }
    const link = { ...account, token: await inviteBy('third@example.test') }
    expect((await server.anonymous.post('//-/invitations/account', link)).status).toBe(201)
    const [signedIn, member, joined, created] = await newestEvents(server, 4)
    expect(created).toMatchObject({ name: 'user_created' })
    const { entityId: authorId } = created ?? {}
    expect(joined).toMatchObject({ name: 'invitation_accepted', authorId, details: { author_name: 'New Comer' } })
    expect(member).toMatchObject({ name: 'member_created', authorId })
    expect(signedIn).toMatchObject({ name: 'user_signed_in', authorId })
    expect(JSON.stringify([signedIn, member, joined, created])).not.toContain(link.token)
  })

  test('changes of an issue tracker, without its token', async () => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const path = `/projects/${project.id}/issue_tracker`
    const settings = trackerSettings('gitlab', 'https://gitlab.example')
    await server.admin.put(path, settings)
    await server.admin.put(path, { ...settings, token: 'other-secret', labels: 'security' })
    await server.admin.put(path, { ...settings, project: 'acme/other' })
    await server.admin.delete(path)
    const before = await countEvents(server)
    expect((await server.admin.delete(path)).status).toBe(404)
    expect(await countEvents(server)).toBe(before)

    const [destroyed, moved, changed, created] = await newestEvents(server, 4)
    const entity = { entityType: 'Project', entityId: project.id }
    expect(created).toMatchObject({
      name: 'issue_tracker_created',
      ...entity,
      details: { target_type: 'IssueTracker' },
    })
    expect(changed).toMatchObject({
      name: 'issue_tracker_updated',
      details: { change: 'labels', from: [], to: ['security'], has_new_token: true },
    })
    expect(moved).toMatchObject({
      name: 'issue_tracker_updated',
      details: { changes: { project: { from: 'acme/shop', to: 'acme/other' } } },
    })
    expect(destroyed).toMatchObject({
      name: 'issue_tracker_destroyed',
      details: { target_details: 'https://gitlab.example/acme/other' },
    })
    const text = JSON.stringify([destroyed, moved, changed, created])
    expect(text).not.toContain('other-secret')
    expect(text).not.toContain(settings.token)
  })

  test.runIf(onSqlite)('the deletion of a branch, once', async () => {
    const server = await startServer()
    const project = await server.project('acme/site')
    await server.report(project, [entry()])
    await server.report(project, [entry()], { ref: 'feature/x', promote: 'false' })
    const remove = () => server.admin.delete(`/projects/${project.id}/refs/${encodeURIComponent('feature/x')}`)
    expect((await remove()).status).toBe(204)
    expect((await newestEvents(server))[0]).toMatchObject({
      name: 'ref_destroyed',
      entityType: 'Project',
      entityId: project.id,
      details: { target_type: 'Ref', target_details: 'feature/x' },
    })
    const before = await countEvents(server)
    expect((await remove()).status).toBe(404)
    expect((await server.admin.delete(`/projects/${project.id}/refs/main`)).status).toBe(400)
    expect(await countEvents(server)).toBe(before)
  })

  test('the deletion of a trust relation by one of two requests', async () => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const path = `/projects/${project.id}/trust_relations`
    const claims = { project_path: 'acme/*' }
    const terms = { name: 'GitLab', issuer: 'https://gitlab.com', audience: 'https://alcove.test', claims }
    const { body } = await server.admin.post(path, terms)
    const remove = () => server.admin.delete(`${path}/${body.id}`)
    await Promise.all([remove(), remove()])
    const isDeletion = ({ name }: { name: string }) => name === 'trust_relation_destroyed'
    expect((await newestEvents(server)).filter(isDeletion)).toHaveLength(1)
  })

  test.runIf(onSqlite)('a sign-in link that the operator creates', async () => {
    const server = await startServer()
    const { secret } = await createSignInLink(server.deps, 'root')
    const [event] = await newestEvents(server, 1)
    expect(event).toMatchObject({
      name: 'user_sign_in_link_created',
      authorId: null,
      entityType: 'User',
      entityId: 1,
      details: { author_name: 'System', ip_address: null },
    })
    expect(JSON.stringify(event)).not.toContain(secret)
  })

  test.runIf(onSqlite)('failed sign-ins with a link and at a provider', async () => {
    const provider = await startScriptedProvider({})
    const server = await startServer({ settings: { oidc: { providers: [provider.settings], reachesPrivate: true } } })
    const name = 'login_failed_with_standard_authentication'
    const details = { failed_login: 'LINK', reason: 'unknown link', ip_address: '127.0.0.1' }
    expect((await server.anonymous.post('//-/sessions', { link: 'guessed' })).status).toBe(401)
    expect((await newestEvents(server, 1))[0]).toMatchObject({ name, details })
    await server.anonymous.get('//-/oidc/corp/callback?state=guessed&code=secret-code')
    const [event] = await newestEvents(server, 1)
    expect(event).toMatchObject({ name, details: { failed_login: 'PROVIDER', reason: 'expired' } })
    expect(JSON.stringify(event)).not.toContain('secret-code')
  })

  test.runIf(onSqlite)('rights that the mapping of a provider gives and removes, only when they change', async () => {
    const provider = await startScriptedProvider({
      mapping: [
        { value: 'admins', administrator: true },
        { value: 'dev', membership: { group: 'acme', role: 'developer' } },
        { value: 'lead', membership: { group: 'acme', role: 'maintainer' } },
      ],
    })
    const server = await startServer({ settings: { oidc: { providers: [provider.settings], reachesPrivate: true } } })
    await server.project('acme/site')
    const signIn = (groups: string[]) => signInAt(server, provider, { sub: 'n-1', preferred_username: 'nadia', groups })
    const { user } = await sessionOf(server, await signIn(['dev']))
    await signIn(['dev'])
    await signIn(['lead', 'admins'])
    await signIn([])
    const events = (await newestEvents(server, 50)).filter(({ details }) => details['provider'] === 'corp').reverse()
    expect(events.map(({ name, details: { change, from, to } }) => [name, change, from, to])).toEqual([
      ['member_created', 'access_level', null, 'Developer'],
      ['user_updated', 'admin', false, true],
      ['member_updated', 'access_level', 'Developer', 'Maintainer'],
      ['user_updated', 'admin', true, false],
      ['member_destroyed', 'access_level', 'Maintainer', null],
    ])
    for (const { authorId, details } of events) {
      expect({ authorId, by: details['author_name'] }).toEqual({ authorId: null, by: 'System' })
    }
    expect(events[0]).toMatchObject({ entityType: 'Group', details: { target_id: user.id, target_details: 'nadia' } })
  })

  test.runIf(onSqlite)('that a user is linked to an account of a provider', async () => {
    const provider = await startScriptedProvider({ linksByEmail: true })
    const server = await startServer({ settings: { oidc: { providers: [provider.settings], reachesPrivate: true } } })
    const nadia = await server.user('nadia')
    await signInAt(server, provider, { sub: 'n-1', email: 'nadia@example.test', email_verified: true })
    const [signedIn, linked] = await newestEvents(server, 2)
    expect(signedIn).toMatchObject({ name: 'user_signed_in', authorId: nadia.user?.id })
    expect(linked).toMatchObject({
      name: 'user_identity_linked',
      entityId: nadia.user?.id,
      details: { provider: 'corp', issuer: provider.issuer, subject: 'n-1' },
    })
  })
})
