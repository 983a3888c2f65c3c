import { beforeAll, describe, expect, test } from 'vitest'
import { newestEvents } from '../../../testing/audit-events.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const clock = { now: '2026-03-01T10:00:00.000Z' }
let server: TestServer
beforeAll(async () => {
  server = await startServer({ clock })
})

let projects = 0
const freshProject = () => server.project(`acme/due-${++projects}`)
const vulnerabilityOf = async (project: TestProject): Promise<number> =>
  (await server.vulnerability(project, { name: 'SQL injection', severity: 'High' })).id
const get = async (id: number) => (await server.admin.get(`/vulnerabilities/${id}`)).body

describe.runIf(onSqlite)('a due date set by a user', () => {
  test('replaces that of the policy until it is removed', async () => {
    const project = await freshProject()
    const id = await vulnerabilityOf(project)
    expect(await get(id)).toMatchObject({ due_on: null, due_on_overridden: false, overdue: false })
    const set = (due_on: string) => server.admin.put(`/vulnerabilities/${id}/due_date`, { due_on, comment: 'agreed' })
    expect(await set('2026-03-04')).toMatchObject({
      status: 200,
      body: { due_on: '2026-03-04', due_on_overridden: true, overdue: false },
    })
    expect((await set('2026-03-04')).status).toBe(304)
    expect((await set('2026-03-05')).body.due_on).toBe('2026-03-05')
    expect(await server.admin.delete(`/vulnerabilities/${id}/due_date`)).toMatchObject({
      status: 200,
      body: { due_on: null, due_on_overridden: false },
    })
    expect((await server.admin.delete(`/vulnerabilities/${id}/due_date`)).status).toBe(304)
    const { body: history } = await server.admin.get(`/vulnerabilities/${id}/history`)
    expect(history.slice(-3)).toMatchObject([
      { kind: 'due_date', from: null, to: '2026-03-04', comment: 'agreed', author: { id: 1 } },
      {
        ...{ from: '2026-03-04', to: '2026-03-05' },
        text: 'changed the due date from 2026-03-04 to 2026-03-05 with the following comment: "agreed"',
      },
      { kind: 'due_date', from: '2026-03-05', to: null, text: 'removed the due date 2026-03-05' },
    ])
    const [event] = await newestEvents(server, 1)
    expect(event).toMatchObject({
      name: 'vulnerability_due_date_updated',
      details: {
        change: 'due_date',
        from: '2026-03-05',
        to: null,
        custom_message: expect.stringContaining('due date'),
      },
    })
  })

  test('must be an existing date', async () => {
    const id = await vulnerabilityOf(await freshProject())
    for (const due_on of ['tomorrow', '2026-02-30', '2026-3-1', '']) {
      expect((await server.admin.put(`/vulnerabilities/${id}/due_date`, { due_on })).status).toBe(400)
    }
    expect((await server.admin.put(`/vulnerabilities/${id}/due_date`)).status).toBe(400)
    expect((await get(id)).due_on).toBeNull()
  })

  test('needs the right to triage', async () => {
    const project = await freshProject()
    const id = await vulnerabilityOf(project)
    const developer = await server.as('developer', project)
    expect((await developer.put(`/vulnerabilities/${id}/due_date`, { due_on: '2026-03-04' })).status).toBe(403)
    expect((await developer.delete(`/vulnerabilities/${id}/due_date`)).status).toBe(403)
    const maintainer = await server.as('maintainer', project)
    expect((await maintainer.put(`/vulnerabilities/${id}/due_date`, { due_on: '2026-03-04' })).status).toBe(200)
  })

  test('is overdue on the following day while the vulnerability is open, also in lists that are cached', async () => {
    const project = await freshProject()
    const id = await vulnerabilityOf(project)
    await server.admin.put(`/vulnerabilities/${id}/due_date`, { due_on: '2026-03-01' })
    const shown = async () => {
      const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities`)
      const { body: ofInstance } = await server.admin.get(`/vulnerabilities?project_id=${project.id}`)
      return [body[0].overdue, ofInstance[0].overdue, (await get(id)).overdue]
    }
    expect(await shown()).toEqual([false, false, false])
    clock.now = '2026-03-02T00:00:00.000Z'
    expect(await shown()).toEqual([true, true, true])
    await server.admin.post(`/vulnerabilities/${id}/dismiss`)
    expect(await shown()).toEqual([false, false, false])
    expect((await get(id)).due_on).toBe('2026-03-01')
    clock.now = '2026-03-01T10:00:00.000Z'
  })

  test('can be set in bulk, and the undo restores the former dates except for those changed since', async () => {
    const project = await freshProject()
    await server.report(
      project,
      ['a', 'b', 'c'].map((rule) => entry({ rule })),
    )
    const { body: rows } = await server.admin.get(`/projects/${project.id}/vulnerabilities?sort=detected_asc`)
    const [a, b, c]: number[] = rows.map((row: { id: number }) => row.id)
    await server.admin.put(`/vulnerabilities/${a}/due_date`, { due_on: '2026-04-01' })
    const path = `/projects/${project.id}/vulnerability_bulk_changes`
    const { body: bulk } = await server.admin.post(path, {
      ...{ action: 'due_date', due_on: '2026-05-01', vulnerability_ids: [a, b, c] },
    })
    expect(bulk).toMatchObject({ action: 'due_date', changed: 3 })
    const dates = async () => Promise.all([a, b, c].map(async (id) => (await get(id ?? 0)).due_on))
    expect(await dates()).toEqual(['2026-05-01', '2026-05-01', '2026-05-01'])
    await server.admin.put(`/vulnerabilities/${c}/due_date`, { due_on: '2026-06-01' })
    expect((await server.admin.post(`${path}/${bulk.id}/undo`)).body.restored).toBe(2)
    expect(await dates()).toEqual(['2026-04-01', null, '2026-06-01'])
    const { body: cleared } = await server.admin.post(path, { action: 'due_date', vulnerability_ids: [a, b, c] })
    expect(cleared).toMatchObject({ changed: 2, unchanged: 1 })
    expect(await dates()).toEqual([null, null, null])
  })
})

describe('the availability of a fix', () => {
  test.runIf(onSqlite)('is the time since which reports describe one', async () => {
    const project = await freshProject()
    const report = (solution?: string) =>
      server.report(project, [{ ...entry({ name: 'Old library' }), ...(solution !== undefined && { solution }) }])
    const time = async () =>
      (await server.admin.get(`/projects/${project.id}/vulnerabilities?nonce=${Math.random()}`)).body[0]
        .fix_available_at
    await report()
    expect(await time()).toBeNull()
    await report('Unfortunately, there is no solution available yet.')
    expect(await time()).toBeNull()
    clock.now = '2026-03-03T10:00:00.000Z'
    await report('Upgrade to 2.0.1')
    expect(await time()).toBe('2026-03-03T10:00:00.000Z')
    clock.now = '2026-03-04T10:00:00.000Z'
    await report('Upgrade to 2.0.2')
    expect(await time()).toBe('2026-03-03T10:00:00.000Z')
    await report()
    expect(await time()).toBeNull()
    clock.now = '2026-03-01T10:00:00.000Z'
  })

  test('is a remediation or a solution that states a version', async () => {
    const fixes = [
      ...['Upgrade lodash to 4.17.21', 'Upgrade to version 5 or above.', 'UPDATE log4j2 to v3', 'Fixed in 1.0.2g'],
      ...['Update jackson to >= 2', 'Upgrade openssl to 3:1', 'Please update the image; patched in 2024.10'],
    ]
    const advice = [
      ...['Validate the input', 'Upgrade log4j2 to the latest version', 'Use TLS version 1.2', 'See section 3.1'],
      ...['Unfortunately, there is no solution available yet. Upgrade to 2.0 later', 'No solution provided', ''],
      ...['Revoke the secret within 30 days', 'Update lodash with npm audit fix'],
    ]
    const project = await freshProject()
    const entries = [...fixes, ...advice].map((solution, index) => ({
      ...entry({ name: `flaw ${index}`, rule: `rule-${index}`, line: index + 1 }),
      solution,
    }))
    await server.report(project, entries)
    const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities?fix_available=true&per_page=100`)
    const titles = body.map(({ title }: { title: string }) => title).sort()
    expect(titles).toEqual(fixes.map((_, index) => `flaw ${index}`))
    const findings = await server.admin.get(`/projects/${project.id}/vulnerability_findings?per_page=100`)
    const fixable = findings.body.filter((finding: { fix_available: boolean }) => finding.fix_available)
    expect(fixable.map(({ name }: { name: string }) => name).sort()).toEqual(titles)
    expect(findings.body).toHaveLength(entries.length)
    const patched = await freshProject()
    const patch = entry({ name: 'patched' })
    const remediation = { summary: 'Escape it', diff: 'ZGlmZg==', fixes: [{ id: patch.id }] }
    await server.report(patched, { ...sastReport([patch]), remediations: [remediation] })
    const [one] = (await server.admin.get(`/projects/${patched.id}/vulnerabilities`)).body
    expect(one.fix_available_at).toBe(one.created_at)
  })

  test.runIf(onSqlite)('is known for a vulnerability whose first report describes one', async () => {
    const project = await freshProject()
    await server.report(project, [{ ...entry(), solution: 'Upgrade to 2.0.1' }])
    const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities`)
    expect(body[0].fix_available_at).toBe(body[0].created_at)
  })
})

describe('lists, statistics and exports', () => {
  /** Creates a project with open vulnerabilities that have these due dates, or none. */
  async function projectWith(dates: readonly (string | undefined)[]) {
    const project = await freshProject()
    await server.report(
      project,
      dates.map((_, index) => entry({ rule: `rule-${index}`, severity: index % 2 === 0 ? 'High' : 'Low' })),
    )
    const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities?sort=detected_asc&per_page=100`)
    const ids: number[] = body.map((row: { id: number }) => row.id)
    for (const [index, due_on] of dates.entries()) {
      if (due_on !== undefined) await server.admin.put(`/vulnerabilities/${ids[index]}/due_date`, { due_on })
    }
    return { project, ids }
  }
  const dates = ['2026-02-28', undefined, '2026-03-01', '2026-03-02', '2026-02-27', undefined, '2026-02-28']

  test('select by due date, at every level and in bulk', async () => {
    const { project, ids } = await projectWith(dates)
    await server.admin.post(`/vulnerabilities/${ids[4]}/resolve`)
    for (const [query, expected] of [
      ['overdue=true', [0, 6]],
      ['overdue=false', [1, 2, 3, 4, 5]],
      ['due_before=2026-03-01', [0, 4, 6]],
      ['due_after=2026-02-28', [2, 3]],
      ['due_after=2026-02-27&due_before=2026-03-02', [0, 2, 6]],
      ['overdue=true&severity=low', []],
    ] as const) {
      for (const path of [`/projects/${project.id}/vulnerabilities?`, `/vulnerabilities?project_id=${project.id}&`]) {
        const { body } = await server.admin.get(`${path}${query}&sort=detected_asc`)
        expect([query, body.map((row: { id: number }) => ids.indexOf(row.id))]).toEqual([query, expected])
      }
    }
    for (const query of ['overdue=maybe', 'due_before=soon', 'due_after=2026-02-30']) {
      expect((await server.admin.get(`/projects/${project.id}/vulnerabilities?${query}`)).status).toBe(400)
    }
    const bulk = { action: 'confirm', filter: { overdue: true } }
    const { body } = await server.admin.post(`/projects/${project.id}/vulnerability_bulk_changes`, bulk)
    expect(body.changed).toBe(2)
    clock.now = '2026-03-02T10:00:00.000Z'
    const { headers } = await server.admin.get(`/projects/${project.id}/vulnerabilities?overdue=true`)
    expect(headers['x-total']).toBe('3')
    clock.now = '2026-03-01T10:00:00.000Z'
  })

  test('are ordered by due date, by number and by cursor, with those without one last', async () => {
    const { project, ids } = await projectWith(dates)
    const path = `/projects/${project.id}/vulnerabilities`
    const ascending = [4, 0, 6, 2, 3, 1, 5]
    for (const [sort, expected] of [
      ['due_asc', ascending],
      ['due_desc', ascending.toReversed()],
    ] as const) {
      const numbered = await server.admin.get(`${path}?sort=${sort}`)
      expect(numbered.body.map((row: { id: number }) => ids.indexOf(row.id))).toEqual(expected)
      const found: number[] = []
      let next: string | undefined = `${path}?sort=${sort}&pagination=keyset&per_page=2`
      while (next) {
        const reply: Awaited<ReturnType<typeof server.admin.get>> = await server.admin.get(next)
        found.push(...reply.body.map((row: { id: number }) => ids.indexOf(row.id)))
        next = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(String(reply.headers['link'] ?? ''))?.[1]
      }
      expect(found).toEqual(expected)
    }
  })

  test.runIf(onSqlite)('count what is overdue by severity, and export it', async () => {
    const { project, ids } = await projectWith(dates)
    await server.admin.put(`/vulnerabilities/${ids[3]}/due_date`, { due_on: '2026-01-01' })
    const expected = { total: 4, critical: 0, high: 3, medium: 0, low: 1, unknown: 0, info: 0 }
    const overdue = async (path: string) => (await server.admin.get(path)).body.overdue
    expect(await overdue(`/projects/${project.id}/vulnerability_statistics`)).toEqual(expected)
    expect(await overdue(`/vulnerability_statistics?project_id=${project.id}`)).toEqual(expected)
    await server.admin.post(`/vulnerabilities/${ids[0]}/dismiss`)
    expect(await overdue(`/projects/${project.id}/vulnerability_statistics`)).toMatchObject({ total: 3, high: 2 })

    const csv = async (filters: object, export_format: string) => {
      const asked = { filters, export_format }
      const { body } = await server.admin.post(`/security/projects/${project.id}/vulnerability_exports`, asked)
      await server.runJobs()
      return (await server.admin.get(`/security/vulnerability_exports/${body.id}/download`)).text
    }
    const [header = '', ...lines] = (await csv({ overdue: true }, 'csv')).trim().split('\n')
    expect(header).toContain(',Due On,Overdue,')
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(line).toMatch(/,2026-0[12]-\d\d,true,/)
    const json = JSON.parse(await csv({ due_after: '2026-03-01' }, 'json'))
    expect(json).toEqual([])
  })
})
