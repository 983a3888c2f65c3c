import { describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { startServer } from '../../../testing/server.ts'

const clock = { now: '2026-05-01T10:00:00.000Z' }
const server = await startServer({ clock })
const { admin } = server
const message =
  '403 Forbidden - A group needs an owner who is active and whose membership does not end. Add another one first.'

/** Creates a group with one permanent owner and another owner who does not count. */
async function groupWith(other: string) {
  const number = ++groups
  const [owner, second] = [await server.user(`owner-${number}`), await server.user(`second-${number}`)]
  const { body: group } = await owner.post('/groups', { name: `group ${number}`, path: `group-${number}` })
  const ends = other === 'ending' ? { expires_at: '2026-05-02' } : {}
  const added = await owner.post(`/groups/${group.id}/members`, {
    user_id: second.user?.id,
    access_level: 50,
    ...ends,
  })
  expect(added.status).toBe(201)
  if (other === 'blocked') await admin.post(`/users/${second.user?.id}/block`)
  if (other === 'banned') await admin.post(`/users/${second.user?.id}/ban`)
  if (other === 'deactivated') await admin.post(`/users/${second.user?.id}/deactivate`)
  const path = (client: Client) => `/groups/${group.id}/members/${client.user?.id}`
  return { group, owner, second, path }
}
let groups = 0

const others = ['ending', 'blocked', 'banned', 'deactivated']

describe.each(others)('the last owner next to an owner who is %s', (other) => {
  test('cannot leave, be removed, be demoted or get an expiry date', async () => {
    const { group, owner, path } = await groupWith(other)
    for (const refused of [
      await owner.delete(path(owner)),
      await admin.delete(path(owner)),
      await owner.put(path(owner), { access_level: 40 }),
      await owner.put(path(owner), { access_level: 50, expires_at: '2026-06-01' }),
    ]) {
      expect(refused).toMatchObject({ status: 403, body: { message } })
    }
    expect((await owner.get(path(owner))).body).toMatchObject({ access_level: 50, expires_at: null })
    expect((await owner.get(`/groups/${group.id}`)).status).toBe(200)
  })

  test('cannot be deleted, and neither is the group', async () => {
    const { group, owner } = await groupWith(other)
    for (const hard of ['false', 'true']) {
      expect(await admin.delete(`/users/${owner.user?.id}?hard_delete=${hard}`)).toMatchObject({ status: 409 })
    }
    expect((await admin.get(`/groups/${group.id}`)).status).toBe(200)
  })

  test('can leave after another active owner is added', async () => {
    const { group, owner, path } = await groupWith(other)
    const third = await server.user(`third-${++groups}`)
    await owner.post(`/groups/${group.id}/members`, { user_id: third.user?.id, access_level: 50 })
    expect((await owner.delete(path(owner))).status).toBe(204)
    expect((await admin.delete(`/users/${owner.user?.id}`)).status).toBe(204)
  })
})

test('an owner of a parent group counts as an owner of its subgroups', async () => {
  const { group, owner } = await groupWith('ending')
  const { body: below } = await owner.post('/groups', { name: 'below', path: 'below', parent_id: group.id })
  const added = await server.user('below-owner')
  await owner.post(`/groups/${below.id}/members`, { user_id: added.user?.id, access_level: 50 })
  expect((await added.delete(`/groups/${below.id}/members/${added.user?.id}`)).status).toBe(204)
})

test('the only owner can be blocked, and administrators can then add another', async () => {
  const { group, owner } = await groupWith('ending')
  expect((await admin.post(`/users/${owner.user?.id}/block`)).status).toBe(201)
  const heir = await server.user('heir')
  const added = await admin.post(`/groups/${group.id}/members`, { user_id: heir.user?.id, access_level: 50 })
  expect(added.status).toBe(201)
})
