import { describe, expect, test } from 'vitest'
import { countEvents, newestEvents } from '../../testing/audit-events.ts'
import { entry } from '../../testing/reports/reports.ts'
import { startServer } from '../../testing/server.ts'
import type { AuditEvent } from './audit-event.ts'
import { sealAuditEvents } from './seal.ts'
import { verifyAuditEvents } from './verify.ts'

describe('the audit log', () => {
  test('records a decision about a vulnerability with its author, address, token and changed value', async () => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const maintainer = await server.as('maintainer', project)
    const { id } = await server.vulnerability(project)
    await maintainer.post(`/vulnerabilities/${id}/dismiss`, {
      comment: 'Only in tests',
      dismissal_reason: 'used_in_tests',
    })

    const [event] = await newestEvents(server)
    expect(event).toMatchObject({
      name: 'vulnerability_state_updated',
      authorId: maintainer.user?.id,
      entityType: 'Project',
      entityId: project.id,
      details: {
        event_name: 'vulnerability_state_updated',
        change: 'state',
        from: 'detected',
        to: 'dismissed',
        author_name: maintainer.user?.username,
        target_id: id,
        target_type: 'Vulnerability',
        ip_address: '127.0.0.1',
        entity_path: 'acme/site',
        dismissal_reason: 'used_in_tests',
        token: { id: expect.any(Number), kind: 'personal' },
      },
    })
    // The history has the same decision, with its comment.
    const { body: history } = await maintainer.get(`/vulnerabilities/${id}/history?sort=desc&per_page=1`)
    expect(history[0]).toMatchObject({ kind: 'state', from: 'detected', to: 'dismissed', comment: 'Only in tests' })
    await sealAuditEvents(server.deps)
    expect(await verifyAuditEvents(server.deps.db)).not.toHaveProperty('problem')
  })

  test('records one event for a change of many vulnerabilities, and one for its undo', async () => {
    const server = await startServer()
    const project = await server.project('acme/site')
    await server.report(
      project,
      [1, 2, 3].map((line) => entry({ line, rule: `rule ${line}` })),
    )
    const { body: list } = await server.admin.get(`/projects/${project.id}/vulnerabilities`)
    const ids = list.map(({ id }: { id: number }) => id)
    const before = await countEvents(server)
    const { body: bulk } = await server.admin.post(`/projects/${project.id}/vulnerabilities/bulk`, {
      action: 'confirm',
      vulnerability_ids: ids,
    })
    expect(bulk).toMatchObject({ changed: 3 })
    await server.admin.post(`/projects/${project.id}/vulnerabilities/bulk/${bulk.id}/undo`)

    expect(await countEvents(server)).toBe(before + 2)
    const [undone, changed] = await newestEvents(server)
    expect(changed).toMatchObject({ name: 'vulnerabilities_bulk_updated', details: { action: 'confirm', changed: 3 } })
    expect(undone).toMatchObject({ name: 'vulnerabilities_bulk_undone', details: { restored: 3 } })
  })

  test('records one event for all promotions of an import', async () => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const before = await countEvents(server)
    await server.report(
      project,
      [1, 2, 3].map((line) => entry({ line, rule: `rule ${line}` })),
    )
    expect(await countEvents(server)).toBe(before + 1)
    const [event] = await newestEvents(server)
    expect(event).toMatchObject({ name: 'vulnerabilities_promoted', details: { promoted: 3, author_username: 'root' } })
    // An import without promotions changes no rights and no decisions.
    await server.report(project, [entry({ line: 9, rule: 'other' })], { promote: 'false', category: 'other' })
    expect(await countEvents(server)).toBe(before + 1)
  })

  test('records who acts as another user with sudo', async () => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const maintainer = await server.as('maintainer', project)
    const { id } = await server.vulnerability(project)
    await server.admin.post(`/vulnerabilities/${id}/confirm?sudo=${maintainer.user?.username}`)
    const [event] = await newestEvents(server)
    expect(event).toMatchObject({
      authorId: maintainer.user?.id,
      details: { author_username: maintainer.user?.username, sudo_by: { username: 'root' } },
    })
  })

  test('records memberships with the role before and after', async () => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const user = await server.user('dana')
    const at = `/projects/${project.id}/members`
    await server.admin.post(at, { user_id: user.user?.id, access_level: 30 })
    await server.admin.put(`${at}/${user.user?.id}`, { access_level: 40, expires_at: '2999-01-01' })
    await server.admin.put(`${at}/${user.user?.id}`, { access_level: 40 })
    await server.admin.delete(`${at}/${user.user?.id}`)

    const [removed, updated, created] = await newestEvents(server)
    expect(created).toMatchObject({
      name: 'member_created',
      details: { from: null, to: 'Developer', target_details: 'dana' },
    })
    expect(updated).toMatchObject({
      name: 'member_updated',
      details: {
        changes: {
          access_level: { from: 'Developer', to: 'Maintainer' },
          expires_at: { from: null, to: '2999-01-01' },
        },
      },
    })
    expect(removed).toMatchObject({
      name: 'member_destroyed',
      details: { changes: { access_level: { from: 'Maintainer', to: null } } },
    })
  })

  test('records tokens without their secrets', async () => {
    const server = await startServer()
    const issued = await server.admin.post('/user/personal_access_tokens', { name: 'ci', scopes: ['k8s_proxy'] })
    const rotated = await server.admin.post(`/personal_access_tokens/${issued.body.id}/rotate`)
    await server.admin.delete(`/personal_access_tokens/${rotated.body.id}`)
    const events = (await newestEvents(server)).slice(0, 3)
    expect(events.map(({ name }) => name)).toEqual([
      'personal_access_token_revoked',
      'personal_access_token_rotated',
      'personal_access_token_issued',
    ])
    const text = JSON.stringify(events)
    expect(text).toContain('ci')
    expect(text).not.toContain(issued.body.token)
    expect(text).not.toContain(rotated.body.token)
  })

  test('records sign-ins and failed sign-ins, these up to a limit and without what was typed', async () => {
    const clock = { now: '2026-03-01T10:00:00.000Z' }
    const server = await startServer({ clock })
    const user = await server.user('dana')
    const send = (login: string, password: string) => server.anonymous.post('//-/sessions', { login, password })
    await send('dana', 'wrong')
    const [failed] = await newestEvents(server)
    expect(failed).toMatchObject({
      name: 'login_failed_with_standard_authentication',
      authorId: null,
      entityType: 'User',
      entityId: user.user?.id,
      details: { author_name: 'An unauthenticated user', failed_login: 'PASSWORD', ip_address: '127.0.0.1' },
    })
    const isFailure = ({ name }: AuditEvent) => name === 'login_failed_with_standard_authentication'
    for (let attempt = 0; attempt < 65; attempt++) await send('dana', 'wrong')
    const ofDana = await newestEvents(server, 100)
    expect(ofDana.filter(isFailure).length).toBe(60)
    clock.now = '2026-03-01T11:30:00.000Z'
    await send('dana', 'wrong')
    expect((await newestEvents(server, 100)).filter(isFailure).length).toBe(61)
    await send('dana', 'correct horse battery')
    expect((await newestEvents(server))[0]).toMatchObject({ name: 'user_signed_in', authorId: user.user?.id })
    await send('my-secret-password', 'wrong')
    expect((await newestEvents(server))[0]).toMatchObject({
      entityType: 'Gitlab::Audit::InstanceScope',
      authorId: null,
    })
    expect(JSON.stringify(await newestEvents(server))).not.toContain('my-secret-password')
  })

  test('records no event of a request that is refused', async () => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const guest = await server.as('guest', project)
    const { id } = await server.vulnerability(project)
    const before = await countEvents(server)
    expect((await guest.post(`/vulnerabilities/${id}/dismiss`)).status).toBe(403)
    expect((await server.admin.put(`/projects/${project.id}/members/9999`, { access_level: 30 })).status).toBe(404)
    expect(await countEvents(server)).toBe(before)
  })
})
