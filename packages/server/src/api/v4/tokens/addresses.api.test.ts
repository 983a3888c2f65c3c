import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { createClient } from '../../../testing/client.ts'
import { startServer } from '../../../testing/server.ts'

const clock = { now: '2026-03-01T08:00:00.000Z' }
const server = await startServer({ clock, settings: { trustedProxies: ['127.0.0.1'] } })

async function someToken() {
  const draft = { name: 't', scopes: ['api'] }
  const { body } = await server.admin.post('/users/1/personal_access_tokens', draft)
  const client = createClient(server.app, { token: body.token })
  return {
    id: body.id,
    use: (address: string) => client.get('/version', { headers: { 'x-forwarded-for': address } }),
    addresses: async () => (await server.admin.get(`/personal_access_tokens/${body.id}`)).body.last_used_ips,
  }
}

function pass(minutes: number) {
  clock.now = new Date(Date.parse(clock.now) + minutes * 60_000).toISOString()
}

test('a token lists the last five addresses that used it, newest first', async () => {
  const token = await someToken()
  expect(await token.addresses()).toEqual([])
  const used: string[] = []
  for (const address of ['192.0.2.1', '192.0.2.2', '2001:db8::3', '192.0.2.4', '192.0.2.5', '192.0.2.6']) {
    await token.use(address)
    used.unshift(address)
    await expect.poll(token.addresses).toEqual(used.slice(0, 5))
    pass(1)
  }
  pass(10)
  await token.use('192.0.2.4')
  const last = ['192.0.2.4', '192.0.2.6', '192.0.2.5', '2001:db8::3', '192.0.2.2']
  await expect.poll(token.addresses).toEqual(last)
  const { body } = await server.admin.get('/personal_access_tokens?per_page=100')
  expect(body.find(({ id }: { id: number }) => id === token.id).last_used_ips).toEqual(last)
})

test('an invalid address is not stored, and mapped IPv4 is stored as IPv4', async () => {
  const token = await someToken()
  await token.use('unknown')
  const used = async () => (await server.admin.get(`/personal_access_tokens/${token.id}`)).body.last_used_at
  await expect.poll(used).not.toBeNull()
  expect(await token.addresses()).toEqual([])
  pass(10)
  await token.use('::ffff:192.0.2.9')
  await expect.poll(token.addresses).toEqual(['192.0.2.9'])
})

test('a new address is stored at most once a minute, a known one updated every ten minutes', async () => {
  const token = await someToken()
  const written = async () => {
    const rows = await server.deps.db.all<{ address: string; lastUsedAt: string }>(sql`
      select address, last_used_at from token_addresses where token_id = ${token.id} order by address`)
    return rows.map((row) => `${row.address} ${row.lastUsedAt.slice(11, 16)}`)
  }
  clock.now = '2026-03-02T08:00:00.000Z'
  await token.use('192.0.2.1')
  await expect.poll(written).toEqual(['192.0.2.1 08:00'])
  for (let count = 2; count < 30; count++) await token.use(`192.0.2.${count}`)
  pass(1)
  await token.use('192.0.2.1')
  await token.use('192.0.2.30')
  await expect.poll(written).toEqual(['192.0.2.1 08:00', '192.0.2.30 08:01'])
  pass(8)
  await token.use('192.0.2.1')
  await token.use('192.0.2.30')
  pass(1)
  await token.use('192.0.2.1')
  await expect.poll(written).toEqual(['192.0.2.1 08:10', '192.0.2.30 08:01'])
})
