import sql from 'sql-template-tag'
import { expect } from 'vitest'
import type { TrackerKind } from '../domain/trackers/tracker.ts'
import { startServer, type TestOptions, type TestServer } from './server.ts'
import { placeOf, startTracker, token } from './stand-ins/tracker.ts'

/** Settings of a scripted tracker, as the API takes them. */
export const trackerSettings = (kind: TrackerKind, url: string) => ({ kind, url, project: placeOf(kind), token })

/** Starts a server whose project `acme/site` has a scripted tracker. */
export async function startWithTracker(kind: TrackerKind, options: TestOptions = {}) {
  const clock = { now: '2026-05-01T10:00:00.000Z' }
  const settings = { webhooksReachPrivate: true, externalUrl: 'https://alcove.test', ...options.settings }
  const server = await startServer({ ...options, clock, settings })
  const project = await server.project('acme/site')
  const tracker = await startTracker(kind, clock)
  const path = `/projects/${project.id}/issue_tracker`
  const saved = await server.admin.put(path, trackerSettings(kind, tracker.url))
  expect(saved.status).toBe(200)
  return { clock, server, project, tracker, path, saved: saved.body }
}

/** Advances the clock and runs the jobs when they are due. */
export async function passMinutes(
  clock: { now: string },
  servers: readonly [TestServer, ...TestServer[]],
  minutes: number,
): Promise<void> {
  const end = Date.parse(clock.now) + minutes * 60_000
  for (let now = Date.parse(clock.now); ; ) {
    await Promise.all(servers.map((server) => server.runJobs()))
    if (now >= end) return
    const next = await servers[0].deps.db.one<{ at: string }>(
      sql`select run_at as at from jobs where state = 'waiting' order by run_at limit 1`,
    )
    now = Math.min(end, Math.max(next ? Date.parse(next.at) : end, now + 1_000))
    clock.now = new Date(now).toISOString()
  }
}
