import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { promotionKind } from '../../../domain/vulnerabilities/promotion/bulk-promotion.ts'
import { openMemoryStore } from '../../../platform/object-store/memory.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { keepReport, runImport, runInSteps, withoutJob } from '../../../testing/reports/imports.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer } from '../../../testing/server.ts'

/** More findings than one transaction promotes. */
const many = 501
const flaws = (count: number) => Array.from({ length: count }, (_, index) => entry({ line: index + 1 }))

/** Starts a server whose store calls `before.put` and `before.open` first. */
async function start() {
  const before = { put: async () => {}, open: async () => {} }
  const store = openMemoryStore()
  const objects: typeof store = {
    ...store,
    async put(...args) {
      await before.put()
      return store.put(...args)
    },
    async open(...args) {
      await before.open()
      return store.open(...args)
    },
  }
  const server = await startServer({ objects })
  const project = await server.project('acme/site')
  const maintainer = await server.as('maintainer', project)
  const id = maintainer.user?.id ?? 0
  return { before, store, server, project, maintainer, id, path: `/users/${id}` }
}

async function keysOf(store: ReturnType<typeof openMemoryStore>): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list('')) keys.push(key)
  return keys
}

const states = [
  ['block', 'blocked', 'unblock'],
  ['ban', 'banned', 'unban'],
  ['deactivate', 'deactivated', 'activate'],
] as const
const reasonOf = (state: string) => `The account of the user who requested it was ${state}.`

describe.each(states)('POST /users/:id/%s', (word, state, back) => {
  test('ends sessions and fails open exports at once, and refuses tokens until the account is active again', async () => {
    const { server, project, maintainer, path } = await start()
    await server.report(project, flaws(1))
    const login = { login: maintainer.user?.username, password: 'correct horse battery' }
    const cookie = (await server.anonymous.post('//-/sessions', login)).cookies.map((text) => text.split(';', 1)[0])
    const browser = { headers: { cookie: cookie.join('; '), 'x-alcove-session': '1' } }
    expect((await server.anonymous.get('/user', browser)).status).toBe(200)
    const requested = await maintainer.post(`/security/projects/${project.id}/vulnerability_exports`)
    const exported = `/security/vulnerability_exports/${requested.body.id}`
    expect((await maintainer.get(exported)).body).toMatchObject({ status: 'created', error: null })

    expect(await server.admin.post(`${path}/${word}`)).toMatchObject({ status: 201, text: 'true' })
    expect((await server.anonymous.get('/user', browser)).status).toBe(401)
    expect((await maintainer.get('/user')).status).toBe(403)
    await server.admin.post(`${path}/${back}`)
    expect((await server.anonymous.get('/user', browser)).status).toBe(401)
    const failed = { status: 'failed', error: reasonOf(state) }
    expect(await maintainer.get(exported)).toMatchObject({ status: 200, body: failed })
    await server.runJobs()
    expect((await maintainer.get(exported)).body).toMatchObject(failed)
    const next = await maintainer.post(`/security/projects/${project.id}/vulnerability_exports`)
    await server.runJobs()
    expect((await maintainer.get(`/security/vulnerability_exports/${next.body.id}`)).body).toMatchObject({
      status: 'finished',
      error: null,
    })
  })

  test('fails an export that is being written, whose file is discarded', async () => {
    const { before, store, server, project, maintainer, path } = await start()
    await server.report(project, flaws(1))
    const stored = await keysOf(store)
    const requested = await maintainer.post(`/security/projects/${project.id}/vulnerability_exports`)
    before.put = async () => void (await server.admin.post(`${path}/${word}`))
    await server.runJobs()
    await server.admin.post(`${path}/${back}`)
    const { body } = await maintainer.get(`/security/vulnerability_exports/${requested.body.id}`)
    expect(body).toMatchObject({ status: 'failed', error: reasonOf(state) })
    expect(await keysOf(store)).toEqual(stored)
  })

  test('makes an import fail that is being read, which changes nothing', async () => {
    const { before, server, project, maintainer, path } = await start()
    const id = await keepReport(server, project, sastReport(flaws(2)), {}, maintainer)
    before.open = async () => void (await server.admin.post(`${path}/${word}`))
    await runImport(server, id)
    await server.admin.post(`${path}/${back}`)
    expect((await server.admin.get(`/projects/${project.id}/security_reports/${id}`)).body).toMatchObject({
      status: 'failed',
      errors: [
        { type: 'forbidden', message: 'The user who sent the report may no longer import reports into this project.' },
      ],
    })
    expect((await server.admin.get(`/projects/${project.id}/vulnerability_findings`)).body).toEqual([])
  })
})

test('deactivating a user fails their running promotions at once, and promoted findings stay promoted', async () => {
  const { server, project, maintainer, path } = await start()
  await server.report(project, flaws(many), { promote: 'false' })
  const bulk = `/projects/${project.id}/vulnerability_findings/bulk`
  const { body } = await withoutJob(server, { kind: 'promotion', key: `promotion:${project.id}` }, () =>
    maintainer.post(bulk, { action: 'promote', filter: {}, async: true }),
  )
  const run = (steps?: number) => runInSteps(server, promotionKind, { promotionId: body.id }, steps)
  await expect(run(2)).rejects.toThrow('killed')
  await server.admin.post(`${path}/deactivate`)
  const failed = { status: 'failed', promoted: 200, error: reasonOf('deactivated') }
  expect((await server.admin.get(`${bulk}/${body.id}`)).body).toMatchObject(failed)
  expect(await server.deps.db.all(sql`select position from finding_promotion_batches`)).toEqual([])
  await server.admin.post(`${path}/activate`)
  await run()
  expect((await server.admin.get(`${bulk}/${body.id}`)).body).toMatchObject(failed)
  expect((await server.admin.get(`/projects/${project.id}/vulnerability_statistics`)).body.total).toBe(200)
})

test.runIf(onSqlite)('a refused change of state, and one of another user, leave open exports as they are', async () => {
  const { server, project, maintainer, path } = await start()
  const requested = await maintainer.post(`/security/projects/${project.id}/vulnerability_exports`)
  const other = await server.user('other')
  expect((await server.admin.post(`/users/${other.user?.id}/block`)).status).toBe(201)
  expect((await other.post(`${path}/block`)).status).toBe(403)
  expect((await server.admin.post(`${path}/activate`)).status).toBe(201)
  expect((await maintainer.get(`/security/vulnerability_exports/${requested.body.id}`)).body.status).toBe('created')
})
