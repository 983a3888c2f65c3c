import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { freshDatabase, onSqlite, testEngine } from '../../testing/databases/database.ts'
import { startServer } from '../../testing/server.ts'
import { faults, retryAfterSeconds, token } from '../../testing/stand-ins/tracker.ts'
import { passMinutes, startWithTracker } from '../../testing/trackers.ts'
import { pollTrackers } from './sync-issues.ts'
import { trackerKinds } from './tracker.ts'

/** A finding unlike those at other lines. */
const flaw = (line: number) => ({ name: `flaw ${line}`, rule: `rule-${line}`, line })

describe.runIf(onSqlite).each(trackerKinds)('an issue in %s', (kind) => {
  test('is created from the template and linked to the vulnerability', async () => {
    const { server, project, tracker, path } = await startWithTracker(kind)
    const settings = { kind, url: `${tracker.url}/`, project: kind === 'jira' ? 'SHOP' : 'acme/shop' }
    const changed = await server.admin.put(path, {
      ...settings,
      labels: ['security'],
      title_template: '[{{severity}}] {{title}}',
      description_template: 'See {{ url }} in {{location}}',
    })
    expect(changed).toMatchObject({ status: 200 })
    const { id } = await server.vulnerability(project, {
      name: 'Injection',
      severity: 'High',
      file: 'src/a.ts',
      line: 3,
    })
    const requested = await server.admin.post(`/vulnerabilities/${id}/issue`)
    expect(requested).toMatchObject({ status: 202, body: { vulnerability_id: id, state: 'creating', link_id: null } })
    await server.runJobs()
    expect(tracker.issues).toMatchObject([
      {
        title: '[high] Injection',
        description: expect.stringContaining(
          `See https://alcove.test/acme/site/-/security/vulnerabilities/${id} in src/a.ts:3`,
        ),
      },
    ])
    expect([tracker.issues[0]?.labels].flat().join()).toBe(kind === 'gitea' ? '7' : 'security')
    const key = kind === 'jira' ? 'SHOP-1' : '1'
    const { body } = await server.admin.get(`/vulnerabilities/${id}/issue`)
    expect(body.issue).toMatchObject({ state: 'created', key, error: null })
    const links = await server.admin.get(`/vulnerabilities/${id}/issue_links`)
    expect(links.body).toMatchObject([
      {
        id: body.issue.link_id,
        vulnerability_link_type: 'created',
        state: 'opened',
        iid: 1,
        title: '[high] Injection',
      },
    ])
    expect(links.body[0].web_url.startsWith(tracker.url)).toBe(true)
  })

  test('is found by its marker after the response was lost', async () => {
    const { server, project, tracker, clock } = await startWithTracker(kind)
    const { id } = await server.vulnerability(project)
    tracker.script = ['lost']
    await server.admin.post(`/vulnerabilities/${id}/issue`)
    await server.runJobs()
    const waiting = await server.admin.get(`/vulnerabilities/${id}/issue`)
    expect(waiting.body.issue).toMatchObject({ state: 'creating', error: expect.stringMatching(/\w/) })
    await passMinutes(clock, [server], 15)
    const { body } = await server.admin.get(`/vulnerabilities/${id}/issue`)
    expect(body.issue).toMatchObject({ state: 'created' })
    expect(tracker.issues).toHaveLength(1)
  })
})

describe('a vulnerability', () => {
  test('never creates two issues, whatever happens to requests and responses', { timeout: 120_000 }, async () => {
    const { server, project, tracker, clock } = await startWithTracker('gitlab')
    let line = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...faults), { maxLength: 4 }),
        fc.integer({ min: 1, max: 3 }),
        async (script, requests) => {
          const { id } = await server.vulnerability(project, flaw(++line))
          const before = tracker.issues.length
          tracker.script = [...script]
          const request = () => server.admin.post(`/vulnerabilities/${id}/issue`)
          const responses = await Promise.all(Array.from({ length: requests }, request))
          expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 202))
          for (let hour = 0; hour < 4; hour++) {
            await passMinutes(clock, [server], 15)
            await request()
          }
          const { body } = await server.admin.get(`/vulnerabilities/${id}/issue`)
          expect([body.issue.state, tracker.issues.length - before]).toEqual(['created', 1])
        },
      ),
      { numRuns: Number(process.env['ALCOVE_TEST_FUZZ_RUNS'] ?? 12) },
    )
  })

  test.runIf(testEngine === 'postgres')('creates one issue when two processes request and create it', async () => {
    const database = await freshDatabase()
    const { server, project, tracker, clock } = await startWithTracker('github', { database })
    const vulnerabilities: { id: number }[] = []
    for (const line of [1, 2, 3]) vulnerabilities.push(await server.vulnerability(project, flaw(line)))
    const second = { db: await database.openSecond(), drop: async () => {} }
    const other = await startServer({ database: second, clock, settings: server.deps.settings })
    tracker.script = ['lost', 'lost 502']
    const requests = vulnerabilities.flatMap(({ id }) =>
      [server, other, server, other].map(({ admin }) => admin.post(`/vulnerabilities/${id}/issue`)),
    )
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(requests.map(() => 202))
    await passMinutes(clock, [server, other], 12)
    expect(new Set(tracker.issues.map(({ title }) => title))).toEqual(new Set(['flaw 1', 'flaw 2', 'flaw 3']))
    expect(tracker.issues).toHaveLength(3)
  })

  test.runIf(onSqlite)('may request an issue again that the tracker has refused', async () => {
    const { server, project, tracker, path } = await startWithTracker('github')
    const { id } = await server.vulnerability(project)
    tracker.status = 410
    await server.admin.post(`/vulnerabilities/${id}/issue`)
    await server.runJobs()
    const { body } = await server.admin.get(`/vulnerabilities/${id}/issue`)
    expect(body.issue).toMatchObject({ state: 'failed', error: 'the tracker responded with 410: scripted' })
    tracker.status = undefined
    expect((await server.admin.post(`/vulnerabilities/${id}/issue`)).body.state).toBe('creating')
    await server.runJobs()
    expect(tracker.issues).toHaveLength(1)
    expect((await server.admin.post(`/vulnerabilities/${id}/issue`)).body.state).toBe('created')
    expect((await server.admin.delete(path)).status).toBe(204)
  })

  test.runIf(onSqlite)(
    'whose issue is not confirmed within a day becomes unknown, and is not requested from another tracker',
    async () => {
      const { server, project, tracker, clock, path } = await startWithTracker('gitlab')
      const { id } = await server.vulnerability(project)
      tracker.script = ['lost']
      await server.admin.post(`/vulnerabilities/${id}/issue`)
      await server.runJobs()
      tracker.status = 500
      clock.now = '2026-05-02T11:00:00.000Z'
      await server.runJobs()
      const { body } = await server.admin.get(`/vulnerabilities/${id}/issue`)
      expect(body.issue).toMatchObject({ state: 'unknown', error: 'the tracker responded with 500: scripted' })

      await server.admin.put(path, { kind: 'gitlab', url: tracker.url, project: 'acme/other', token })
      const refused = await server.admin.post(`/vulnerabilities/${id}/issue`)
      expect(refused).toMatchObject({
        status: 422,
        body: { message: expect.stringContaining('link the issue by its URL') },
      })
    },
  )

  test('waits as long as the tracker asks, and delays the others of the tracker', async () => {
    const { server, project, tracker, clock } = await startWithTracker('gitlab')
    const vulnerabilities = [await server.vulnerability(project, flaw(1)), await server.vulnerability(project, flaw(2))]
    tracker.script = ['limited']
    const ids = vulnerabilities.map(({ id }) => id)
    const requested = await server.admin.post(`/projects/${project.id}/vulnerabilities/issues`, {
      vulnerability_ids: ids,
    })
    expect(requested).toMatchObject({ status: 202, body: { requested: 2, unchanged: 0 } })
    await passMinutes(clock, [server], retryAfterSeconds / 60 - 1)
    expect(tracker.requests).toHaveLength(1)
    await passMinutes(clock, [server], 2)
    expect(tracker.issues).toHaveLength(2)
    const again = await server.admin.post(`/projects/${project.id}/vulnerabilities/issues`, { vulnerability_ids: ids })
    expect(again.body).toMatchObject({ requested: 0, unchanged: 2 })
  })

  test.runIf(onSqlite)(
    'with a link of type created is left alone, and a removed link allows another issue',
    async () => {
      const { server, project, tracker } = await startWithTracker('gitlab')
      const { id } = await server.vulnerability(project)
      const links = `/vulnerabilities/${id}/issue_links`
      const { body: link } = await server.admin.post(links, {
        url: 'https://tracker.example/issues/9',
        link_type: 'created',
      })
      expect(await server.admin.post(`/vulnerabilities/${id}/issue`)).toMatchObject({ status: 422 })
      await server.admin.delete(`${links}/${link.id}`)
      for (const count of [1, 2]) {
        await server.admin.post(`/vulnerabilities/${id}/issue`)
        await server.runJobs()
        expect(tracker.issues).toHaveLength(count)
        const [{ vulnerability_link_id: linkId }] = (await server.admin.get(links)).body
        await server.admin.delete(`${links}/${linkId}`)
      }
    },
  )

  test('creates no issue when its user has lost the right meanwhile', async () => {
    const { server, project, tracker } = await startWithTracker('gitlab')
    const { id } = await server.vulnerability(project)
    const user = await server.as('maintainer', project)
    expect((await user.post(`/vulnerabilities/${id}/issue`)).status).toBe(202)
    await server.admin.delete(`/projects/${project.id}/members/${user.user?.id}`)
    await server.runJobs()
    expect(tracker.requests).toEqual([])
    const { body } = await server.admin.get(`/vulnerabilities/${id}/issue`)
    expect(body.issue).toMatchObject({ state: 'failed', error: 'the user may no longer create issues in this project' })
  })
})

test.runIf(onSqlite)('the address of an issue is stored only if it is one of the web', async () => {
  const { server, project, tracker, clock } = await startWithTracker('gitlab')
  const { id } = await server.vulnerability(project)
  const { url } = tracker
  tracker.url = 'ftp://files.example'
  await server.admin.post(`/vulnerabilities/${id}/issue`)
  await server.runJobs()
  expect((await server.admin.get(`/vulnerabilities/${id}/issue`)).body.issue).toMatchObject({
    state: 'creating',
    error: expect.stringContaining('web_url of the response is not an http or https URL'),
  })
  expect((await server.admin.get(`/vulnerabilities/${id}/issue_links`)).body).toEqual([])
  tracker.url = url
  await passMinutes(clock, [server], 15)
  expect((await server.admin.get(`/vulnerabilities/${id}/issue`)).body.issue).toMatchObject({ state: 'created' })
  expect(tracker.issues).toHaveLength(1)
})

test('the title of an issue can contain any character', async () => {
  const { server, project, tracker, clock } = await startWithTracker('gitlab')
  const { id } = await server.vulnerability(project)
  await server.admin.post(`/vulnerabilities/${id}/issue`)
  await server.runJobs()
  const [issue] = tracker.issues
  clock.now = '2026-05-01T10:30:00.000Z'
  Object.assign(issue ?? {}, { title: 'cut\0short', updatedAt: clock.now })
  clock.now = '2026-05-01T11:30:00.000Z'
  await pollTrackers(server.deps)
  await server.runJobs()
  expect((await server.admin.get(`/vulnerabilities/${id}/issue_links`)).body).toMatchObject([
    { title: 'cut\ufffdshort' },
  ])
})
