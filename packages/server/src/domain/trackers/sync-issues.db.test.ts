import { describe, expect, test } from 'vitest'
import { onSqlite } from '../../testing/databases/database.ts'
import { passMinutes, startWithTracker } from '../../testing/trackers.ts'
import { pollTrackers } from './sync-issues.ts'
import { trackerKinds } from './tracker.ts'

describe.each(trackerKinds)('the state of an issue in %s', (kind) => {
  test.runIf(onSqlite)('is polled every hour and shown with the link', async () => {
    const { server, project, tracker, clock, path } = await startWithTracker(kind)
    const { id } = await server.vulnerability(project)
    await server.admin.post(`/vulnerabilities/${id}/issue`)
    await server.runJobs()
    const link = async () => (await server.admin.get(`/vulnerabilities/${id}/issue_links`)).body[0]
    const poll = async () => {
      await pollTrackers(server.deps)
      return server.runJobs()
    }
    await passMinutes(clock, [server], 5)
    tracker.change(1, { isOpen: false, title: 'Another title' })
    expect(await poll()).toBe(1)
    expect(await link()).toMatchObject({ state: 'closed', title: 'Another title', closed_at: clock.now })
    expect((await server.admin.get(`/vulnerabilities/${id}`)).body).toMatchObject({ state: 'detected' })

    tracker.change(1, { isOpen: true })
    await passMinutes(clock, [server], 10)
    expect(await poll()).toBe(0)
    await passMinutes(clock, [server], 50)
    expect(await poll()).toBe(1)
    expect(await link()).toMatchObject({ state: 'opened', closed_at: null })

    const before = clock.now
    tracker.status = 401
    await passMinutes(clock, [server], 60)
    await poll()
    expect((await server.admin.get(`/vulnerabilities/${id}/issue`)).body.synchronization).toEqual({
      at: before,
      error: expect.stringContaining('does not accept the token'),
    })
    const { body } = await server.admin.get(path)
    expect(body.effective).toMatchObject({ sync_error: expect.stringContaining('does not accept the token') })
  })

  test('is found among more issues than a page contains', async () => {
    const { server, project, tracker } = await startWithTracker(kind)
    const { id } = await server.vulnerability(project)
    const others = Array.from({ length: 120 }, (_, index) => ({
      ...{ number: index + 1, title: 'other', description: '', labels: [], isOpen: true },
      ...{ createdAt: '2026-05-01T10:00:00.000Z', updatedAt: '2026-05-01T10:00:00.000Z' },
    }))
    tracker.issues.push(...others)
    await server.admin.post(`/vulnerabilities/${id}/issue`)
    await server.runJobs()
    tracker.change(121, { isOpen: false })
    await pollTrackers(server.deps)
    await server.runJobs()
    const { body } = await server.admin.get(`/vulnerabilities/${id}/issue_links`)
    expect(body).toMatchObject([{ iid: 121, state: 'closed' }])
  })
})

test('two processes poll a tracker once per hour together', async () => {
  const { server, project, tracker } = await startWithTracker('gitlab')
  const { id } = await server.vulnerability(project)
  await server.admin.post(`/vulnerabilities/${id}/issue`)
  await server.runJobs()
  const before = tracker.requests.length
  await Promise.all([pollTrackers(server.deps), pollTrackers(server.deps)])
  await server.runJobs()
  expect(tracker.requests.length - before).toBe(1)
})
