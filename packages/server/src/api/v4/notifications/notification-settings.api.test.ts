import { describe, expect, test } from 'vitest'
import { unsubscribeUrl } from '../../../domain/notifications/unsubscribe.ts'
import { startServer } from '../../../testing/server.ts'

const path = '/user/notification_settings'
const defaults = {
  notification_email: 'ada@example.test',
  email_enabled: false,
  new_vulnerabilities: true,
  held_reports: true,
  expiring_tokens: true,
  new_sign_ins: true,
  due_dates: false,
  digest: 'off',
}

describe('the notification settings', () => {
  test('have defaults and are changed one by one, for the caller only', async () => {
    const server = await startServer()
    const [ada, bob] = [await server.user('ada'), await server.user('bob')]
    expect(await ada.get(path)).toMatchObject({ status: 200, body: defaults })
    expect(await ada.put(path, { digest: 'weekly' })).toMatchObject({
      status: 200,
      body: { ...defaults, digest: 'weekly' },
    })
    expect(await ada.put(path, { held_reports: false })).toMatchObject({
      body: { held_reports: false, digest: 'weekly' },
    })
    expect((await bob.get(path)).body).toEqual({ ...defaults, notification_email: 'bob@example.test' })
  })

  test('reject unknown values and an empty change', async () => {
    const server = await startServer()
    const ada = await server.user('ada')
    expect(await ada.put(path, { digest: 'hourly' })).toMatchObject({
      status: 400,
      body: { error: 'digest does not have a valid value' },
    })
    expect(await ada.put(path, {})).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('at least one parameter must be provided') },
    })
    expect(await server.anonymous.get(path)).toMatchObject({ status: 401 })
    const reader = await server.client(ada, { scopes: ['read_api'] })
    expect(await reader.put(path, { digest: 'daily' })).toMatchObject({ status: 403 })
  })
})

describe('the link in a message', () => {
  test('turns off the messages of its kind with one request and without signing in', async () => {
    const server = await startServer()
    const ada = await server.user('ada')
    const subscriber = { userId: ada.user?.id ?? 0, name: 'new_vulnerabilities' } as const
    const { pathname } = new URL(await unsubscribeUrl(server.deps, subscriber))
    const post = (url: string) =>
      server.app.inject({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'List-Unsubscribe=One-Click',
      })
    expect((await post(pathname)).statusCode).toBe(204)
    expect((await ada.get(path)).body).toEqual({ ...defaults, new_vulnerabilities: false })
    const [id, , signature] = pathname.slice('/-/unsubscribe/'.length).split('.')
    for (const token of [
      `${id}.digest.${signature}`,
      `1.new_vulnerabilities.${signature}`,
      `${id}.new_vulnerabilities.`,
      'x',
    ]) {
      expect((await post(`/-/unsubscribe/${token}`)).statusCode).toBe(404)
    }
    expect((await ada.get(path)).body).toMatchObject({ held_reports: true, digest: 'off' })
  })
})
