import { describe, expect, test } from 'vitest'
import { expireRequests } from '../../../domain/vulnerabilities/approval/expire-requests.ts'
import type { Client } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { historyOf, vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { browserOf, signIn } from '../../../testing/second-factors.ts'
import { startServer } from '../../../testing/server.ts'
import { startReceiver } from '../../../testing/stand-ins/receiver.ts'

const start = '2026-05-01T10:20:30.000Z'

/** A project whose rule requires approval from high, with a vulnerability of each severity. */
async function world() {
  const clock = { now: start }
  const server = await startServer({ clock, settings: { webhooksReachPrivate: true } })
  const project = await server.project('acme/site')
  const severities = ['Critical', 'High', 'Low']
  await server.report(
    project,
    severities.map((severity, index) => entry({ name: severity, severity, line: index + 1, rule: severity })),
  )
  const found = await vulnerabilitiesOf(server, project)
  const ids = { critical: found.Critical.id, high: found.High.id, low: found.Low.id }
  const rule = await server.admin.put(`/projects/${project.id}/dismissal_approval`, { severity: 'high' })
  expect(rule).toMatchObject({ status: 200, body: { own: { severity: 'high', expires_in_days: 14 } } })
  const [ada, ben] = [await server.as('maintainer', project), await server.as('maintainer', project)]
  const dismiss = (id: number, fields: object = {}, client: Client = ada) =>
    client.post(`/vulnerabilities/${id}/dismiss`, fields)
  const decide = (id: number, what: 'approve' | 'reject' | 'withdraw', client: Client, fields: object = {}) =>
    client.post(`/projects/${project.id}/dismissal_requests/${id}/${what}`, fields)
  const read = async (id: number) => (await server.admin.get(`/vulnerabilities/${id}`)).body
  const total = async (query: string) =>
    (await server.admin.get(`/projects/${project.id}/vulnerabilities?${query}`)).headers['x-total']
  return { clock, server, project, ids, ada, ben, dismiss, decide, read, total }
}

describe('a dismissal that needs approval', () => {
  test.runIf(onSqlite)('is requested, and done when another user approves it, with both in the history', async () => {
    const { server, project, ids, ada, ben, dismiss, decide, read, total } = await world()
    const receiver = await startReceiver()
    await server.admin.post(`/projects/${project.id}/hooks`, { url: receiver.url, vulnerability_events: true })
    const fields = { dismissal_reason: 'used_in_tests', comment: 'a fixture', until: '2026-08-01' }
    const requested = await dismiss(ids.high, fields)
    const requestId = requested.body.dismissal_request_id
    expect(requested).toMatchObject({
      status: 202,
      body: { id: ids.high, state: 'detected', dismissal_reason: null, dismissal_request_id: expect.any(Number) },
    })
    expect(await dismiss(ids.high, fields, ben)).toMatchObject({
      status: 409,
      body: { message: `request ${requestId} to dismiss this vulnerability awaits approval` },
    })
    const list = `/projects/${project.id}/dismissal_requests`
    const { body: pending } = await ben.get(`${list}?state=pending`)
    expect(pending).toMatchObject([
      {
        ...{ id: requestId, state: 'pending', dismissal_reason: 'used_in_tests', comment: 'a fixture' },
        ...{ until: '2026-08-01', until_fixed: false, expires_at: '2026-05-15T10:20:30.000Z', decided_by: null },
        vulnerability: { id: ids.high, title: 'High', severity: 'high' },
        requested_by: { id: ada.user?.id },
      },
    ])
    expect(await decide(requestId, 'approve', ben, { comment: 'agreed' })).toMatchObject({
      status: 201,
      body: { state: 'approved', decided_by: { id: ben.user?.id }, decision_comment: 'agreed', decided_at: start },
    })
    expect(await read(ids.high)).toMatchObject({
      ...{ state: 'dismissed', dismissal_reason: 'used_in_tests', dismissed_until: '2026-08-01' },
      ...{ dismissed_by_id: ada.user?.id, dismissal_request_id: null },
    })
    const history = (await historyOf(server.admin, ids.high)).slice(-3)
    expect(history.map(({ kind, author }: { kind: string; author: { id: number } }) => [kind, author.id])).toEqual([
      ['dismissal_requested', ada.user?.id],
      ['dismissal_approved', ben.user?.id],
      ['state', ada.user?.id],
    ])
    expect(history.map(({ text }: { text: string }) => text)).toEqual([
      'requested approval of a dismissal: Used in tests, until 2026-08-01 with the following comment: "a fixture"',
      'approved the dismissal with the following comment: "agreed"',
      'changed vulnerability status from Detected to Dismissed: Used in tests, until 2026-08-01 with the following comment: "a fixture"',
    ])
    expect(await total('state=dismissed')).toBe('1')
    expect((await ben.get(`${list}?state=pending`)).body).toEqual([])
    expect(await decide(requestId, 'reject', ben)).toMatchObject({
      status: 409,
      body: { message: 'the request is approved already' },
    })
    await server.runJobs()
    expect(
      receiver.received.map(({ body: { object_attributes: one } }) => [one.state, one.dismissal_request_id]),
    ).toEqual([
      ['detected', requestId],
      ['dismissed', null],
    ])
    const audited = (await server.admin.get(`/projects/${project.id}/audit_events?per_page=100`)).body
    expect(audited.map(({ details }: { details: { event_name: string } }) => details.event_name)).toEqual(
      expect.arrayContaining(['vulnerability_dismissal_requested', 'vulnerability_dismissal_approved']),
    )
  })

  test.runIf(onSqlite)('depends on the severity, also on the scanner’s where a user has lowered it', async () => {
    const { ids, ada, dismiss } = await world()
    expect(await dismiss(ids.low)).toMatchObject({ status: 201, body: { state: 'dismissed' } })
    await ada.put(`/vulnerabilities/${ids.critical}/severity`, { severity: 'low' })
    expect(await dismiss(ids.critical)).toMatchObject({ status: 202, body: { state: 'detected' } })
  })

  test.runIf(onSqlite)('cannot be decided by its requester, by bots or by outsiders', async () => {
    const { server, project, ids, ada, ben, dismiss, decide, read } = await world()
    const id = (await dismiss(ids.high)).body.dismissal_request_id
    const second = { message: '403 Forbidden - a second person must decide about a dismissal' }
    expect(await decide(id, 'approve', ada)).toMatchObject({ status: 403, body: second })
    expect(await decide(id, 'reject', ada)).toMatchObject({ status: 403, body: second })
    const token = await ada.post(`/projects/${project.id}/access_tokens`, {
      ...{ name: 'bot', scopes: ['api'], access_level: 40, expires_at: '2026-06-01' },
    })
    const asBot = { headers: { 'private-token': token.body.token } }
    const path = `/projects/${project.id}/dismissal_requests/${id}/approve`
    expect((await server.anonymous.post(path, {}, asBot)).status).toBe(403)
    expect((await decide(id, 'approve', await server.as('reporter', project))).status).toBe(403)
    expect((await decide(id, 'approve', server.anonymous)).status).toBe(401)
    expect((await decide(id, 'withdraw', ben)).status).toBe(403)
    expect((await decide(999_999, 'approve', ben)).status).toBe(404)
    expect((await read(ids.high)).state).toBe('detected')
    expect(await decide(id, 'withdraw', ada)).toMatchObject({ status: 201, body: { state: 'withdrawn' } })
    expect(await read(ids.high)).toMatchObject({ state: 'detected', dismissal_request_id: null })
  })

  test('needs a second person, also when an administrator or a bot acts for the first', async () => {
    const { server, project, ids, ada, ben, decide, read } = await world()
    const path = `/vulnerabilities/${ids.high}/dismiss`
    const bySudo = await server.admin.post(path, {}, { headers: { sudo: ada.user?.username ?? '' } })
    const id = bySudo.body.dismissal_request_id
    expect(bySudo.status).toBe(202)
    const second = { status: 403, body: { message: '403 Forbidden - a second person must decide about a dismissal' } }
    const approval = `/projects/${project.id}/dismissal_requests/${id}/approve`
    expect(await decide(id, 'approve', server.admin)).toMatchObject(second)
    for (const { user } of [ada, ben]) {
      expect(await server.admin.post(approval, {}, { headers: { sudo: user?.username ?? '' } })).toMatchObject(second)
    }
    const impersonation = await server.admin.post(`/users/${ben.user?.id}/impersonation_tokens`, {
      ...{ name: 'as ben', scopes: ['api'], expires_at: '2026-06-01' },
    })
    const asBen = { headers: { 'private-token': impersonation.body.token } }
    expect(await server.anonymous.post(approval, {}, asBen)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - impersonation tokens cannot decide about dismissals' },
    })
    expect(await decide(id, 'withdraw', ada)).toMatchObject({ status: 403 })
    expect(await decide(id, 'withdraw', server.admin)).toMatchObject({ body: { state: 'withdrawn' } })

    const token = await ada.post(`/projects/${project.id}/access_tokens`, {
      ...{ name: 'bot', scopes: ['api'], access_level: 40, expires_at: '2026-06-01' },
    })
    const byBot = await server.anonymous.post(path, {}, { headers: { 'private-token': token.body.token } })
    expect(byBot.status).toBe(202)
    expect(await decide(byBot.body.dismissal_request_id, 'approve', ada)).toMatchObject(second)
    expect((await read(ids.high)).state).toBe('detected')
    expect(await decide(byBot.body.dismissal_request_id, 'approve', ben)).toMatchObject({ status: 201 })
    expect((await read(ids.high)).state).toBe('dismissed')
  })

  test.runIf(onSqlite)('is decided before another dismissal, also when the rule has been removed', async () => {
    const { server, project, ids, ada, ben, dismiss, decide, read } = await world()
    const id = (await dismiss(ids.high)).body.dismissal_request_id
    expect((await ada.delete(`/projects/${project.id}/dismissal_approval`)).status).toBe(204)
    expect(await dismiss(ids.high)).toMatchObject({
      status: 409,
      body: { message: `request ${id} to dismiss this vulnerability awaits approval` },
    })
    const fields = { action: 'dismiss', vulnerability_ids: [ids.high, ids.low] }
    expect(await server.admin.post(`/projects/${project.id}/vulnerability_bulk_changes`, fields)).toMatchObject({
      body: { changed: 1, requested: 0, unchanged: 1 },
    })
    expect(await read(ids.high)).toMatchObject({ state: 'detected', dismissal_request_id: id })
    await decide(id, 'reject', ben)
    expect(await dismiss(ids.high)).toMatchObject({ status: 201, body: { state: 'dismissed' } })
  })

  test.runIf(onSqlite)('can be rejected, and requested again', async () => {
    const { server, ids, ben, dismiss, decide, read } = await world()
    const id = (await dismiss(ids.high)).body.dismissal_request_id
    expect(await decide(id, 'reject', ben, { comment: 'upgrade' })).toMatchObject({ body: { state: 'rejected' } })
    expect(await read(ids.high)).toMatchObject({ state: 'detected', dismissal_request_id: null })
    expect((await historyOf(server.admin, ids.high)).at(-1)).toMatchObject({
      text: 'rejected the dismissal with the following comment: "upgrade"',
    })
    expect((await dismiss(ids.high)).status).toBe(202)
  })

  test('expires after the days of the rule', async () => {
    const { clock, server, ids, ben, dismiss, decide, read } = await world()
    const id = (await dismiss(ids.high)).body.dismissal_request_id
    clock.now = '2026-05-15T10:20:29.000Z'
    await expireRequests(server.deps)
    expect((await read(ids.high)).dismissal_request_id).toBe(id)
    clock.now = '2026-05-15T10:20:30.000Z'
    expect(await decide(id, 'approve', ben)).toMatchObject({
      status: 409,
      body: { message: 'the request has expired' },
    })
    await Promise.all([expireRequests(server.deps), expireRequests(server.deps)])
    expect((await read(ids.high)).dismissal_request_id).toBeNull()
    const history = await historyOf(server.admin, ids.high)
    expect(history.filter(({ kind }: { kind: string }) => kind === 'dismissal_expired')).toMatchObject([
      { author: null, text: 'the request for a dismissal expired without a decision' },
    ])
  })

  test.runIf(onSqlite)(
    'is refused where the requester lost the right, the state differs, or the end has passed',
    async () => {
      const { clock, server, project, ids, ada, ben, dismiss, decide, read } = await world()
      const [one, other] = [await dismiss(ids.high, { until: '2026-05-03' }), await dismiss(ids.critical)]
      await ben.post(`/vulnerabilities/${ids.critical}/confirm`)
      expect(await decide(other.body.dismissal_request_id, 'approve', ben)).toMatchObject({
        status: 409,
        body: { message: 'the vulnerability is confirmed; it was detected when its dismissal was requested' },
      })
      await server.admin.put(`/projects/${project.id}/members/${ada.user?.id}`, { access_level: 20 })
      const refusal = 'the user who requested the dismissal may no longer dismiss vulnerabilities of this project'
      expect(await decide(one.body.dismissal_request_id, 'approve', ben)).toMatchObject({
        status: 409,
        body: { message: refusal },
      })
      await server.admin.put(`/projects/${project.id}/members/${ada.user?.id}`, { access_level: 40 })
      clock.now = '2026-05-03T00:00:00.000Z'
      expect(await decide(one.body.dismissal_request_id, 'approve', ben)).toMatchObject({
        status: 409,
        body: { message: 'the dismissal was requested until 2026-05-03, which has passed' },
      })
      expect((await read(ids.high)).state).toBe('detected')
    },
  )

  test('is approved once by concurrent decisions', async () => {
    const { server, project, ids, ben, dismiss, decide, total } = await world()
    const id = (await dismiss(ids.high)).body.dismissal_request_id
    const eve = await server.as('maintainer', project)
    const replies = await Promise.all([
      decide(id, 'approve', ben),
      decide(id, 'reject', eve),
      decide(id, 'approve', eve),
    ])
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    const approved = replies[1]?.status === 409
    expect(await total('state=dismissed')).toBe(approved ? '1' : '0')
  })
})

test.runIf(onSqlite)('a bulk dismissal requests what needs approval and dismisses the rest', async () => {
  const { project, ids, ada, ben, dismiss, decide, read, total } = await world()
  await dismiss(ids.critical)
  const fields = { action: 'dismiss', vulnerability_ids: Object.values(ids), dismissal_reason: 'acceptable_risk' }
  const done = await ada.post(`/projects/${project.id}/vulnerability_bulk_changes`, fields)
  expect(done).toMatchObject({ status: 201, body: { changed: 1, requested: 1, unchanged: 1 } })
  expect(await read(ids.low)).toMatchObject({ state: 'dismissed', dismissal_request_id: null })
  const { dismissal_request_id: id, state } = await read(ids.high)
  expect([state, id]).toEqual(['detected', expect.any(Number)])
  expect((await decide(id, 'approve', ben)).status).toBe(201)
  expect(await read(ids.high)).toMatchObject({ state: 'dismissed', dismissal_reason: 'acceptable_risk' })
  expect(await total('state=dismissed')).toBe('2')
  for (const one of [ids.high, ids.low]) await ben.post(`/vulnerabilities/${one}/revert`)
  expect((await ben.post('/vulnerability_bulk_changes', fields)).body).toMatchObject({ changed: 1, requested: 1 })
})

describe.runIf(onSqlite)('those who may be behind the token of a request cannot approve it', () => {
  const second = { status: 403, body: { message: '403 Forbidden - a second person must decide about a dismissal' } }
  const botToken = { name: 'bot', scopes: ['api', 'self_rotate'], access_level: 40, expires_at: '2026-06-01' }
  const withToken = (token: string) => ({ headers: { 'private-token': token } })

  test('when they created or rotated a token of its bot, even afterwards', async () => {
    const { server, project, ids, ada, ben, decide, read } = await world()
    const [eve, uma] = [await server.as('maintainer', project), await server.as('maintainer', project)]
    const tokens = `/projects/${project.id}/access_tokens`
    const created = (await ada.post(tokens, botToken)).body
    const rotated = (await ben.post(`${tokens}/${created.id}/rotate`)).body
    // The token rotates itself, which does not hide who rotated it before.
    const own = (await server.anonymous.post(`${tokens}/self/rotate`, {}, withToken(rotated.token))).body
    const dismissed = await server.anonymous.post(`/vulnerabilities/${ids.high}/dismiss`, {}, withToken(own.token))
    const id = dismissed.body.dismissal_request_id
    await eve.post(`${tokens}/${own.id}/rotate`)
    for (const client of [ada, ben, eve]) {
      expect(await decide(id, 'approve', client)).toMatchObject(second)
      expect(await decide(id, 'reject', client)).toMatchObject(second)
    }
    expect((await read(ids.high)).state).toBe('detected')
    expect((await decide(id, 'approve', uma)).status).toBe(201)
  })

  test('when they created the impersonation token', async () => {
    const { server, ids, ada, ben, decide } = await world()
    const impersonation = await server.admin.post(`/users/${ada.user?.id}/impersonation_tokens`, {
      ...{ name: 'as ada', scopes: ['api'], expires_at: '2026-06-01' },
    })
    const asAda = withToken(impersonation.body.token)
    const dismissed = await server.anonymous.post(`/vulnerabilities/${ids.high}/dismiss`, {}, asAda)
    const id = dismissed.body.dismissal_request_id
    for (const client of [server.admin, ada]) expect(await decide(id, 'approve', client)).toMatchObject(second)
    expect((await decide(id, 'approve', ben)).status).toBe(201)
  })

  test('when they use a token that they created for another user', async () => {
    const { server, ids, ada, ben, dismiss, decide } = await world()
    const id = (await dismiss(ids.high, {}, server.admin)).body.dismissal_request_id
    // Administrators created the tokens of all users here.
    expect(await decide(id, 'approve', ben)).toMatchObject(second)
    expect(
      (await decide(id, 'approve', browserOf(server, await signIn(server, ben.user?.username ?? '')))).status,
    ).toBe(201)
    const other = (await dismiss(ids.critical, {}, ada)).body.dismissal_request_id
    expect((await decide(other, 'approve', ben)).status).toBe(201)
  })
})

describe('the undo of a bulk change', () => {
  test('withdraws the requests that still await approval', async () => {
    const { server, project, ids, ada, ben, decide, read, total } = await world()
    const path = `/projects/${project.id}/vulnerability_bulk_changes`
    const dismissal = { action: 'dismiss', vulnerability_ids: Object.values(ids) }
    const { body: bulk } = await ada.post(path, dismissal)
    expect(bulk).toMatchObject({ changed: 1, requested: 2, withdrawn: null })
    await decide((await read(ids.critical)).dismissal_request_id, 'approve', ben)
    const { dismissal_request_id: id } = await read(ids.high)
    const undone = await ben.post(`${path}/${bulk.id}/undo`)
    expect(undone).toMatchObject({ status: 201, body: { restored: 1, withdrawn: 1 } })
    expect(await read(ids.high)).toMatchObject({ state: 'detected', dismissal_request_id: null })
    expect(await read(ids.critical)).toMatchObject({ state: 'dismissed' })
    expect(await total('state=dismissed')).toBe('1')
    expect((await ada.get(`/projects/${project.id}/dismissal_requests/${id}`)).body).toMatchObject({
      ...{ state: 'withdrawn', decided_by: { id: ben.user?.id }, decided_at: start },
    })
    expect((await historyOf(server.admin, ids.high)).at(-1)).toMatchObject({ kind: 'dismissal_withdrawn' })
    expect((await ada.post(`/vulnerabilities/${ids.high}/dismiss`)).status).toBe(202)
  })

  test.runIf(onSqlite)('of many projects withdraws requests of each', async () => {
    const { ids, ada, read } = await world()
    const dismissal = { action: 'dismiss', vulnerability_ids: Object.values(ids) }
    const { body: bulk } = await ada.post('/vulnerability_bulk_changes', dismissal)
    expect(bulk).toMatchObject({ changed: 1, requested: 2 })
    const undone = await ada.post(`/vulnerability_bulk_changes/${bulk.id}/undo`)
    expect(undone.body).toMatchObject({ status: 'undone', restored: 1, withdrawn: 2, projects: [{ withdrawn: 2 }] })
    expect(await read(ids.high)).toMatchObject({ state: 'detected', dismissal_request_id: null })
  })

  test.runIf(onSqlite)(
    'requests a dismissal of the time before the rule, and restores one that was approved',
    async () => {
      const { server, project, ids, ada, ben, dismiss, decide, read } = await world()
      const path = `/projects/${project.id}/vulnerability_bulk_changes`
      await decide((await dismiss(ids.critical)).body.dismissal_request_id, 'approve', ben)
      await ada.delete(`/projects/${project.id}/dismissal_approval`)
      await dismiss(ids.high, { dismissal_reason: 'used_in_tests', until: '2026-08-01' })
      const { body: bulk } = await ada.post(path, { action: 'revert', vulnerability_ids: [ids.high, ids.critical] })
      await server.admin.put(`/projects/${project.id}/dismissal_approval`, { severity: 'high' })
      const undone = await ada.post(`${path}/${bulk.id}/undo`)
      expect(undone).toMatchObject({ status: 201, body: { changed: 2, restored: 1, withdrawn: 0 } })
      expect(await read(ids.critical)).toMatchObject({ state: 'dismissed' })
      const { state, dismissal_request_id: id } = await read(ids.high)
      expect([state, id]).toEqual(['detected', expect.any(Number)])
      expect(await decide(id, 'approve', ben)).toMatchObject({ status: 201, body: { until: '2026-08-01' } })
      expect(await read(ids.high)).toMatchObject({ state: 'dismissed', dismissal_reason: 'used_in_tests' })
    },
  )
})

test.runIf(onSqlite)('the dry run of a bulk change counts dismissals that need approval apart', async () => {
  const { ids, ada, dismiss, read } = await world()
  await dismiss(ids.critical)
  const dismissal = { action: 'dismiss', vulnerability_ids: Object.values(ids) }
  const counts = { changed: 1, requested: 1, unchanged: 1 }
  expect((await ada.post('/vulnerability_bulk_changes', { ...dismissal, dry_run: true })).body).toMatchObject(counts)
  expect(await read(ids.high)).toMatchObject({ state: 'detected', dismissal_request_id: null })
  expect((await ada.post('/vulnerability_bulk_changes', dismissal)).body).toMatchObject(counts)
})

describe.runIf(onSqlite)('the rule', () => {
  test('is the strictest of the project and the groups above, which a project cannot weaken', async () => {
    const server = await startServer()
    const { admin } = server
    const { body: acme } = await admin.post('/groups', { name: 'acme', path: 'acme' })
    await admin.post('/groups', { name: 'web', path: 'web', parent_id: acme.id })
    const project = await server.project('acme/web/site')
    const group = (path: string) => `/groups/${encodeURIComponent(path)}/dismissal_approval`
    const own = `/projects/${project.id}/dismissal_approval`
    expect((await admin.get(own)).body).toEqual({ own: null, effective: null })
    await admin.put(group('acme'), { severity: 'critical', expires_in_days: 30 })
    await admin.put(group('acme/web'), { severity: 'high', expires_in_days: 7 })
    expect((await admin.get(own)).body).toEqual({ own: null, effective: { severity: 'high', expires_in_days: 7 } })
    expect(await admin.put(own, { severity: 'critical' })).toMatchObject({
      status: 400,
      body: { message: { severity: ['cannot be weaker than that of a group above (high)'] } },
    })
    expect((await admin.put(own, { severity: 'medium' })).body.effective).toEqual({
      ...{ severity: 'medium', expires_in_days: 14 },
    })
    await admin.put(group('acme'), { severity: 'low' })
    expect((await admin.get(own)).body).toMatchObject({ own: { severity: 'medium' }, effective: { severity: 'low' } })
    expect((await admin.delete(own)).status).toBe(204)
    expect((await admin.delete(own)).status).toBe(404)
    for (const fields of [{}, { severity: 'worst' }, { severity: 'high', expires_in_days: 0 }]) {
      expect((await admin.put(own, fields)).status).toBe(400)
    }
  })

  test('is set by maintainers of a project and owners of a group', async () => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const [maintainer, developer] = [await server.as('maintainer', project), await server.as('developer', project)]
    const path = `/projects/${project.id}/dismissal_approval`
    expect((await developer.put(path, { severity: 'high' })).status).toBe(403)
    expect((await maintainer.put(path, { severity: 'high' })).status).toBe(200)
    expect((await developer.get(path)).body.effective).toMatchObject({ severity: 'high' })
    expect((await maintainer.put('/groups/acme/dismissal_approval', { severity: 'high' })).status).toBe(403)
  })
})
