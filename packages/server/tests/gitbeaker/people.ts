import { Gitlab } from '@gitbeaker/rest'
import { expect, test } from 'vitest'
import { type Fixture, inDays, person, refusal, unique } from './support.ts'

export function testUsers(fixture: Fixture): void {
  test('a user can be created, found by name, read and removed', async () => {
    const { admin } = fixture
    const username = unique('nadia')
    const created = await admin.Users.create(person(username))
    expect(created).toMatchObject({ id: expect.any(Number), username, name: 'Nadia Osei', state: 'active' })

    expect(await admin.Users.all({ username })).toMatchObject([{ id: created.id, username }])
    expect(await admin.Users.all({ search: username })).toMatchObject([{ id: created.id, username }])
    expect(await admin.Users.show(created.id)).toMatchObject({ username })
    expect(await refusal(admin.Users.create(person(username)))).toMatchObject({ status: 409 })

    await admin.Users.remove(created.id, { hardDelete: true })
    expect(await refusal(admin.Users.show(created.id))).toEqual({ status: 404, description: '404 User Not Found' })
  })

  test('creating users requires an administrator', async () => {
    const { api } = await fixture.user('climber')
    expect(await refusal(api.Users.create(person(unique('friend'))))).toMatchObject({ status: 403 })
  })

  test('an administrator can read their own account and the version', async () => {
    expect(await fixture.admin.Users.showCurrentUser()).toMatchObject({ username: 'root', is_admin: true })
    expect(await fixture.admin.Metadata.show()).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
  })

  test('a personal access token works until it is revoked', async () => {
    const { admin } = fixture
    const user = await admin.Users.create(person(unique('pat')))
    const issued = await admin.PersonalAccessTokens.create(user.id, 'laptop', ['api'], { expiresAt: inDays(30) })
    expect(issued).toMatchObject({ name: 'laptop', scopes: ['api'], user_id: user.id, active: true, revoked: false })
    expect(issued.expires_at).toBe(inDays(30))
    const own = fixture.api(`${issued.token}`)
    expect(await own.Users.showCurrentUser()).toMatchObject({ id: user.id })
    const bearer = new Gitlab({ host: fixture.url, oauthToken: `${issued.token}` })
    expect(await bearer.Users.showCurrentUser()).toMatchObject({ id: user.id })

    await admin.PersonalAccessTokens.remove({ tokenId: issued.id })
    expect(await refusal(own.Users.showCurrentUser())).toMatchObject({ status: 401 })
    expect(await refusal(own.Topics.all())).toMatchObject({ status: 401 })
  })

  test('a user can be blocked, deactivated, edited and reactivated', async () => {
    const { admin } = fixture
    const { id, api } = await fixture.user('guest')
    await admin.Users.block(id)
    const blocked = { status: 403, description: '403 Forbidden - Your account has been blocked.' }
    expect(await refusal(api.Users.showCurrentUser())).toEqual(blocked)
    await admin.Users.unblock(id)
    expect(await api.Users.showCurrentUser()).toMatchObject({ id })
    await admin.Users.deactivate(id)
    expect(await admin.Users.show(id)).toMatchObject({ state: 'deactivated' })
    await admin.Users.activate(id)
    await admin.Users.edit(id, { name: 'Renamed' })
    expect(await api.Users.showCurrentUser()).toMatchObject({ id, name: 'Renamed' })
  })

  test('a personal access token can read and rotate itself', async () => {
    const { id, api } = await fixture.user('keeper')
    const self = await api.PersonalAccessTokens.show()
    expect(self).toMatchObject({ user_id: id, active: true })
    const fresh = await api.PersonalAccessTokens.rotate(self.id)
    expect(await refusal(api.Users.showCurrentUser())).toMatchObject({ status: 401 })
    expect(await fixture.api(`${fresh.token}`).Users.showCurrentUser()).toMatchObject({ id })
  })

  test('an impersonation token is listed, works, and disappears when it is revoked', async () => {
    const { admin } = fixture
    const user = await admin.Users.create(person(unique('imp')))
    const issued = await admin.UserImpersonationTokens.create(user.id, 'robot', ['api'], { expiresAt: inDays(10) })
    expect(await admin.UserImpersonationTokens.all(user.id, { state: 'active' })).toMatchObject([{ id: issued.id }])
    const robot = fixture.api(`${issued['token']}`)
    expect(await robot.Users.showCurrentUser()).toMatchObject({ id: user.id })

    await admin.UserImpersonationTokens.revoke(user.id, issued.id)
    expect(await refusal(robot.Users.showCurrentUser())).toMatchObject({ status: 401 })
    expect(await admin.UserImpersonationTokens.all(user.id, { state: 'active' })).toEqual([])
  })

  test('an administrator can act as another user with sudo', async () => {
    const { id, username } = await fixture.user('deputy')
    const deputy = new Gitlab({ host: fixture.url, token: fixture.token, sudo: username })
    expect(await deputy.Users.showCurrentUser()).toMatchObject({ id })
  })

  test('a token with read_api cannot write', async () => {
    const project = await fixture.project()
    const { id } = await fixture.user('reader', project, 40)
    const issued = await fixture.admin.PersonalAccessTokens.create(id, 'read', ['read_api'], { expiresAt: inDays(1) })
    const reader = fixture.api(`${issued.token}`)
    expect(await reader.ProjectVulnerabilities.all(project.id)).toEqual([])
    const refused = { status: 403, description: 'insufficient_scope' }
    expect(await refusal(reader.ProjectVulnerabilities.create(project.id, 1))).toEqual(refused)
    expect(await refusal(fixture.upload(project, 'x.txt', reader))).toEqual(refused)
  })
}
