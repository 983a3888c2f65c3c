import { beforeEach, describe, expect, test } from 'vitest'
import type { Settings } from '../../../platform/settings/settings.ts'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { makePng } from '../../../testing/pictures/png.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'
import { type FakeClamd, startClamd } from '../../../testing/stand-ins/clamd.ts'

const clock = { now: '' }
let server: TestServer
let clamd: FakeClamd
let project: TestProject
let maintainer: Client

beforeEach(async () => {
  clock.now = '2026-03-01T12:00:00.000Z'
  clamd = await startClamd()
  server = await startServer({ clock, settings: { clamd: { address: clamd.address, holdsPending: false } } })
  project = await server.project('acme/scans')
  maintainer = await server.as('maintainer', project)
})

const setScanner = (clamd: Settings['clamd']) => Object.assign(server.deps.settings, { clamd })
const hold = () => setScanner({ address: clamd.address, holdsPending: true })
const base = () => `/projects/${project.id}/uploads`
const upload = async (content: string | Buffer, name = 'file.txt') => {
  const sent = await maintainer.post(base(), formWithFile('file', name, content))
  expect(sent.status, sent.text).toBe(201)
  return sent.body
}
const stateOf = async (id: number) => {
  const [listed] = (await maintainer.get(`${base()}?upload_ids=${id}&with_details=true`)).body
  return [listed.scan_state, listed.scan_signature, listed.scanned_at]
}
const passMinutes = (minutes: number) => {
  clock.now = new Date(Date.parse(clock.now) + minutes * 60_000).toISOString()
}
const audited = async (name: string) =>
  (await server.admin.get(`/projects/${project.id}/audit_events`)).body.filter(
    (event: { details: { event_name: string } }) => event.details.event_name === name,
  )
const linkTo = async (id: number) => {
  const { url } = (await maintainer.post(`${base()}/${id}/links`)).body
  // The second slash makes the path relative to the root.
  return `/${new URL(url).pathname}`
}
/** Returns every address of the bytes of an upload. */
const waysTo = async ({ id, url, full_path: fullPath }: { id: number; url: string; full_path: string }) => [
  `${base()}/${id}`,
  `/projects/${project.id}${url}`,
  `/${fullPath}`,
  `${base()}/${id}/thumbnail`,
  `/${fullPath.replace('/uploads/', '/thumbnails/')}`,
  await linkTo(id),
]

describe('an upload', () => {
  test('waits for its scan, is served meanwhile, and is clean after it', async () => {
    const sent = await upload('the plan')
    expect(sent.scan_state).toBe('pending')
    expect(await stateOf(sent.id)).toEqual(['pending', null, null])
    expect((await maintainer.get(`${base()}/${sent.id}`)).text).toBe('the plan')
    await server.runJobs()
    expect(clamd.scanned).toEqual(['the plan'])
    expect(await stateOf(sent.id)).toEqual(['clean', null, clock.now])
    expect(Object.keys((await maintainer.get(base())).body[0])).not.toContain('scan_state')
  })

  test.runIf(onSqlite)('with a threat is quarantined: no way leads to its bytes', async () => {
    const sent = await upload(makePng(), 'picture.png')
    const ways = await waysTo(sent)
    // The first request draws the thumbnail, which is stored.
    for (const way of ways) expect([way, (await maintainer.get(way)).status]).toEqual([way, 200])
    Object.assign(clamd, { threat: 'IDAT', found: 'stream: Test.Picture FOUND' })
    await server.runJobs()
    expect(await stateOf(sent.id)).toEqual(['infected', 'Test.Picture', clock.now])
    for (const way of ways) {
      for (const client of [maintainer, server.admin]) {
        const { status, body } = await client.get(way)
        expect([way, status, body.message]).toEqual([way, 403, expect.stringContaining('this file is quarantined')])
      }
      expect([way, (await maintainer.head(way)).status]).toEqual([way, 403])
    }
    expect(await audited('upload_quarantined')).toMatchObject([{ details: { signature: 'Test.Picture' } }])
  })

  test.runIf(onSqlite)('is held until its scan with ALCOVE_CLAMD_HOLD', async () => {
    hold()
    const sent = await upload(makePng(), 'picture.png')
    for (const way of await waysTo(sent)) {
      const { status, body, headers } = await maintainer.get(way)
      expect([way, status, body]).toEqual([
        way,
        409,
        { message: 'this file waits for its virus scan; try again later' },
      ])
      expect(headers['retry-after']).toBe('10')
    }
    await server.runJobs()
    for (const way of await waysTo(sent)) expect([way, (await maintainer.get(way)).status]).toEqual([way, 200])
  })

  test.runIf(onSqlite)(
    'remains pending while clamd is not reachable or does not answer, and is scanned afterwards',
    async () => {
      hold()
      const { id } = await upload('the plan')
      await clamd.stop()
      await server.runJobs()
      expect(await stateOf(id)).toEqual(['pending', null, null])
      await clamd.start()
      for (const reaction of ['cut', 'reset', 'error'] as const) {
        clamd.reaction = reaction
        // More often than the attempts of a job that fails.
        for (let run = 0; run < 5; run++) {
          passMinutes(3)
          await server.runJobs()
        }
        expect([reaction, ...(await stateOf(id))]).toEqual([reaction, 'pending', null, null])
      }
      expect((await maintainer.get(`${base()}/${id}`)).status).toBe(409)
      clamd.reaction = 'answer in pieces'
      passMinutes(3)
      await server.runJobs()
      expect(await stateOf(id)).toEqual(['clean', null, clock.now])
      expect((await maintainer.get(`${base()}/${id}`)).text).toBe('the plan')
    },
  )

  test.runIf(onSqlite)('over the size limit of clamd is not scanned, and not clean', async () => {
    clamd.maxBytes = 1000
    const { id } = await upload('x'.repeat(1001))
    await server.runJobs()
    expect(await stateOf(id)).toEqual(['not_scanned', null, null])
  })

  test.runIf(onSqlite)('of a group and an import is scanned as well', async () => {
    const group = (await server.admin.get('/groups/acme')).body.id
    const sent = await server.admin.post(
      `/groups/${group}/uploads`,
      formWithFile('file', 'a.txt', 'virus of the group'),
    )
    const fields = { secret: '0123456789abcdef0123456789abcdef', created_at: '2026-01-01T00:00:00Z' }
    const imported = await server.admin.post(
      `${base()}/import`,
      formWithFile('file', 'b.txt', 'virus imported', fields),
    )
    expect(imported.body.scan_state).toBe('pending')
    await server.runJobs()
    expect((await server.admin.get(`/groups/${group}/uploads/${sent.body.id}`)).status).toBe(403)
    expect((await server.admin.get(`${base()}/${imported.body.id}`)).status).toBe(403)
    const events = (await server.admin.get(`/groups/${group}/audit_events`)).body
    expect(events[0].details).toMatchObject({ event_name: 'upload_quarantined', target_details: 'a.txt' })
  })

  test.runIf(onSqlite)('without the setting is not scanned, and a quarantine remains without it', async () => {
    const infected = await upload('virus')
    await server.runJobs()
    const waiting = await upload('virus that waits')
    setScanner(undefined)
    const { id, scan_state: state } = await upload('virus')
    expect(state).toBeUndefined()
    await server.runJobs()
    expect(await stateOf(id)).toEqual(['not_scanned', null, null])
    expect(await stateOf(waiting.id)).toEqual(['not_scanned', null, null])
    expect((await maintainer.get(`${base()}/${id}`)).text).toBe('virus')
    expect((await maintainer.get(`${base()}/${infected.id}`)).status).toBe(403)
  })
})

describe('the quarantine', () => {
  test('is listed, and a false positive is released by an administrator', async () => {
    const { id } = await upload('virus', 'report.txt')
    await server.runJobs()
    const listed = await server.admin.get('/admin/quarantine')
    expect(listed.body).toEqual([
      {
        id,
        owner: { kind: 'project', id: project.id, full_path: 'acme/scans' },
        filename: 'report.txt',
        size: 5,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        created_at: clock.now,
        uploaded_by: expect.objectContaining({ id: maintainer.user?.id }),
        scan_signature: 'Test.Virus-1',
        scanned_at: clock.now,
      },
    ])
    const release = (client: Client) => client.post(`/admin/quarantine/${id}/release`)
    expect((await release(maintainer)).status).toBe(403)
    expect((await maintainer.get('/admin/quarantine')).status).toBe(403)
    expect(await release(server.admin)).toMatchObject({
      status: 201,
      body: { id, scan_state: 'released', scan_signature: 'Test.Virus-1' },
    })
    expect((await maintainer.get(`${base()}/${id}`)).text).toBe('virus')
    expect((await server.admin.get('/admin/quarantine')).body).toEqual([])
    expect((await release(server.admin)).status).toBe(404)
    expect(await audited('upload_released')).toMatchObject([{ details: { target_details: 'report.txt' } }])
  })

  test.runIf(onSqlite)('ends with the deletion of the file, and begins again with its restoration', async () => {
    const { id } = await upload('virus')
    await server.runJobs()
    expect((await server.admin.delete(`${base()}/${id}`)).status).toBe(204)
    expect((await server.admin.get('/admin/quarantine')).body).toEqual([])
    expect((await server.admin.post(`/admin/quarantine/${id}/release`)).status).toBe(404)
    expect((await server.admin.post(`${base()}/${id}/restore`)).status).toBe(201)
    expect((await server.admin.get('/admin/quarantine')).body).toHaveLength(1)
    expect((await maintainer.get(`${base()}/${id}`)).status).toBe(403)
  })
})

describe('POST /admin/virus_scan', () => {
  test.runIf(onSqlite)('scans the files that were uploaded before, also after an outage', async () => {
    setScanner(undefined)
    expect(await server.admin.post('/admin/virus_scan')).toMatchObject({
      status: 400,
      body: { message: 'no virus scanner is configured (ALCOVE_CLAMD)' },
    })
    const [clean, infected, large] = [await upload('one'), await upload('a virus'), await upload('x'.repeat(50))]
    hold()
    clamd.maxBytes = 40
    expect((await maintainer.post('/admin/virus_scan')).status).toBe(403)
    await clamd.stop()
    expect(await server.admin.post('/admin/virus_scan')).toMatchObject({
      status: 202,
      body: { job_id: expect.any(Number) },
    })
    await server.runJobs()
    // Files from before are served until there is a result.
    expect((await maintainer.get(`${base()}/${infected.id}`)).status).toBe(200)
    await clamd.start()
    passMinutes(3)
    await server.runJobs()
    expect(await stateOf(clean.id)).toEqual(['clean', null, clock.now])
    expect(await stateOf(infected.id)).toEqual(['infected', 'Test.Virus-1', clock.now])
    expect(await stateOf(large.id)).toEqual(['not_scanned', null, null])
  })

  test('continues after a file that is missing', async () => {
    setScanner(undefined)
    const [missing, other] = [await upload('one'), await upload('another virus')]
    for await (const { key, bytes } of server.deps.objects.list('files/')) {
      if (bytes === 3) await server.deps.objects.remove(key)
    }
    hold()
    await server.admin.post('/admin/virus_scan')
    await server.runJobs()
    expect((await stateOf(missing.id))[0]).toBe('not_scanned')
    expect((await stateOf(other.id))[0]).toBe('infected')
  })
})

test('the metrics count scans by result, what waits and what is quarantined', async () => {
  const metrics = async () => {
    const { text } = await server.anonymous.get('//-/metrics')
    return text.split('\n').filter((line) => /^alcove_(virus|quarantined)/.test(line))
  }
  const resultOf = (lines: string[], result: string) =>
    lines.find((line) => line.startsWith(`alcove_virus_scans_total{result="${result}"}`))?.split(' ')[1]
  clamd.maxBytes = 20
  for (const content of ['one', 'two', 'virus', 'x'.repeat(50)]) await upload(content)
  expect(await metrics()).toContain('alcove_virus_scans_pending 4')
  await clamd.stop()
  await server.runJobs()
  const failed = await metrics()
  expect(Number(resultOf(failed, 'failed'))).toBeGreaterThan(0)
  expect(failed).toContain('alcove_virus_scans_pending 4')
  await clamd.start()
  passMinutes(3)
  await server.runJobs()
  const lines = await metrics()
  expect(['clean', 'infected', 'not_scanned'].map((result) => resultOf(lines, result))).toEqual(['2', '1', '1'])
  expect(lines).toEqual(expect.arrayContaining(['alcove_virus_scans_pending 0', 'alcove_quarantined_uploads 1']))
})

test('GET /admin/virus_scan shows whether clamd answers, and what waits', async () => {
  const get = () => server.admin.get('/admin/virus_scan')
  await upload('virus')
  const state = { configured: true, hold: false, reachable: true, error: null, pending: 1, quarantined: 0 }
  expect((await get()).body).toEqual(state)
  await server.runJobs()
  await clamd.stop()
  expect((await get()).body).toEqual({
    ...state,
    reachable: false,
    error: expect.stringContaining('ECONNREFUSED'),
    pending: 0,
    quarantined: 1,
  })
  setScanner(undefined)
  expect((await get()).body).toMatchObject({ configured: false, reachable: null })
  expect((await maintainer.get('/admin/virus_scan')).status).toBe(403)
})
