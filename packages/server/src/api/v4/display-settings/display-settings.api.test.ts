import { expect, test } from 'vitest'
import { startServer } from '../../../testing/server.ts'

const path = '/user/display_settings'
const defaults = {
  ...{ time_zone: null, date_format: 'browser', density: 'comfortable', page_keys: true },
  ...{ number_format: 'browser', times: 'relative' },
}

test('the display settings have defaults and are changed one by one, for the caller only', async () => {
  const server = await startServer()
  const [ada, bob] = [await server.user('ada'), await server.user('bob')]
  expect(await ada.get(path)).toMatchObject({ status: 200, body: defaults })
  expect((await ada.put(path, { time_zone: 'Europe/Rome', page_keys: false })).body).toEqual({
    ...defaults,
    ...{ time_zone: 'Europe/Rome', page_keys: false },
  })
  const numbers = { number_format: 'point', times: 'absolute' }
  const changed = { time_zone: 'Europe/Rome', date_format: 'iso', density: 'compact', page_keys: false, ...numbers }
  expect((await ada.put(path, numbers)).body).toMatchObject({ time_zone: 'Europe/Rome', ...numbers })
  expect((await ada.put(path, { date_format: 'iso', density: 'compact' })).body).toEqual(changed)
  expect((await ada.get(path)).body).toEqual(changed)
  expect((await ada.put(path, { time_zone: '' })).body).toEqual({ ...changed, time_zone: null })
  expect((await bob.get(path)).body).toEqual(defaults)
  expect((await server.admin.delete(`/users/${ada.user?.id}?hard_delete=true`)).status).toBe(204)
})

test('the display settings reject unknown values, an empty change, and callers without the right', async () => {
  const server = await startServer()
  const ada = await server.user('ada')
  for (const zone of ['Mars/Olympus', '+01:00', 'x'.repeat(200), "UTC'; --"]) {
    expect(await ada.put(path, { time_zone: zone })).toMatchObject({
      status: 400,
      body: { message: { time_zone: ['is not an IANA time zone such as Europe/Rome'] } },
    })
  }
  expect((await ada.put(path, { date_format: 'roman' })).status).toBe(400)
  expect((await ada.put(path, { density: 'airy' })).status).toBe(400)
  expect((await ada.put(path, { number_format: 'roman' })).status).toBe(400)
  expect((await ada.put(path, { times: 'never' })).status).toBe(400)
  expect((await ada.put(path, {})).status).toBe(400)
  expect((await ada.get(path)).body).toEqual(defaults)
  expect((await server.anonymous.get(path)).status).toBe(401)
  const reader = await server.client(ada, { scopes: ['read_api'] })
  expect((await reader.get(path)).status).toBe(200)
  expect((await reader.put(path, { density: 'compact' })).status).toBe(403)
})
