import { beforeAll, describe, expect, test } from 'vitest'
import { dependencyReport } from '../../../domain/vulnerabilities/flaws/testing/dependency-report.ts'
import type { Client } from '../../../testing/client.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let shop: TestProject
let site: TestProject
let developer: Client

beforeAll(async () => {
  server = await startServer()
  shop = await server.project('acme/shop')
  site = await server.project('acme/site')
  developer = await server.as('developer', shop)
  const lodash = { names: ['GHSA-35jh-r3h4-6jhm', 'CVE-2021-23337'], pkg: 'lodash' }
  await server.report(
    shop,
    dependencyReport('grype', [
      { ...lodash, title: 'Command injection', severity: 'High' },
      { title: 'Other', names: ['CVE-2021-1'], pkg: 'express', severity: 'Low' },
    ]),
  )
  const trivy = { title: 'lodash: injection', names: ['CVE-2021-23337'], pkg: 'lodash', version: '2.0.0' }
  await server.report(shop, dependencyReport('trivy', [{ ...trivy, severity: 'Critical' }]), { category: 'trivy' })
  await server.report(site, dependencyReport('trivy', [{ ...trivy, severity: 'Medium' }]))
  await server.report(site, [entry({ line: 3 })], { category: 'code' })
})

const flawsOf = async (path: string, client = server.admin) => {
  const { status, body } = await client.get(path)
  expect(status).toBe(200)
  return body
}

const group = '/groups/acme/vulnerability_flaws'

describe('GET …/vulnerability_flaws', () => {
  test('has one row for what several scanners and projects report, and explains it', async () => {
    const [first, ...others] = await flawsOf(group)
    expect(first).toMatchObject({
      title: 'lodash: injection',
      severity: 'critical',
      identifiers: ['CVE-2021-23337', 'GHSA-35JH-R3H4-6JHM'],
      package: 'pkg:npm/lodash',
      vulnerability_count: 3,
      project_count: 2,
      scanners: [{ external_id: 'grype' }, { external_id: 'trivy' }],
      states: { detected: 3, confirmed: 0, resolved: 0, dismissed: 0 },
      explanation: ['Same vulnerability: CVE-2021-23337 (alias GHSA-35JH-R3H4-6JHM)', 'Same package: pkg:npm/lodash'],
    })
    expect(others.map(({ title }: { title: string }) => title)).toEqual(['Flaw', 'Other'])
    expect(others[0].explanation).toContain('Same place: src/app.ts:3')
  })

  test('is read from one vulnerability, as far as the caller may read the others', async () => {
    const [one] = await flawsOf(`/projects/${shop.id}/vulnerabilities?severity=high`)
    const similar = async (client: Client) =>
      (await flawsOf(`/vulnerabilities/${one.id}/similar`, client)).map(
        ({ title, project }: { title: string; project: { path_with_namespace: string } }) =>
          `${project.path_with_namespace}: ${title}`,
      )
    const inShop = ['acme/shop: lodash: injection', 'acme/shop: Command injection']
    expect(await similar(server.admin)).toEqual([...inShop, 'acme/site: lodash: injection'])
    expect(await similar(developer)).toEqual(inShop)
    const first = await server.admin.get(`/vulnerabilities/${one.id}/similar?pagination=keyset&per_page=2`)
    const next = /cursor=([\w-]+)/.exec(first.headers['link'] ?? '')?.[1]
    const rest = await flawsOf(`/vulnerabilities/${one.id}/similar?pagination=keyset&per_page=2&cursor=${next}`)
    expect([...first.body, ...rest]).toEqual(await flawsOf(`/vulnerabilities/${one.id}/similar`))
    const [other] = await flawsOf(`/projects/${shop.id}/vulnerabilities?severity=low`)
    const alone = await developer.get(`/vulnerabilities/${other.id}/similar?per_page=1`)
    expect([alone.headers['x-total'], alone.body]).toMatchObject(['1', [{ id: other.id }]])
    const [hidden] = await flawsOf(`/projects/${site.id}/vulnerabilities`)
    expect((await developer.get(`/vulnerabilities/${hidden.id}/similar`)).status).toBe(404)
  })

  test('counts only what the caller may read', async () => {
    const paths = ['/vulnerability_flaws', group, `/projects/${shop.id}/vulnerability_flaws`]
    for (const path of paths) {
      const [first, ...others] = await flawsOf(path, developer)
      expect(first).toMatchObject({ severity: 'critical', vulnerability_count: 2, project_count: 1 })
      expect(others).toHaveLength(1)
      expect(await flawsOf(`${path}?flaw=${first.id}&severity=medium`, developer)).toEqual([])
    }
    const reporter = await server.as('reporter', shop)
    expect((await reporter.get(`/projects/${shop.id}/vulnerability_flaws`)).status).toBe(403)
    expect(await flawsOf('/vulnerability_flaws', reporter)).toEqual([])
  })

  test('lists the members by the filter flaw, and filters them', async () => {
    const [{ id }] = await flawsOf(group)
    const members = await flawsOf(`/groups/acme/vulnerabilities?flaw=${id}`)
    expect(members.map(({ severity }: { severity: string }) => severity)).toEqual(['critical', 'high', 'medium'])
    const [row] = await flawsOf(`${group}?severity=high,medium&search=injection`)
    expect(row).toMatchObject({ id, severity: 'high', vulnerability_count: 2, project_count: 2 })
  })

  test('has totals, pages and cursors in every order', async () => {
    for (const sort of ['severity_desc', 'priority_asc', 'count_desc']) await expectPages(`${group}?sort=${sort}`)
    const ids = (await flawsOf(`${group}?sort=count_desc`)).map((flaw: { id: number }) => flaw.id)
    expect((await flawsOf(`${group}?sort=count_asc`)).map((flaw: { id: number }) => flaw.id)).toEqual(ids.reverse())
  })

  test.each(['cursor=x&pagination=keyset', 'flaw=x', 'flaw=99999999999999999999', 'sort=colour_desc', 'colour=red'])(
    'rejects %s',
    async (query) => {
      expect((await server.admin.get(`${group}?${query}`)).status).toBe(400)
    },
  )
})

/** Reads three flaws by page numbers and by cursors. */
async function expectPages(address: string): Promise<void> {
  const all = await flawsOf(address)
  const page = await server.admin.get(`${address}&per_page=1&page=2`)
  expect([page.headers['x-total'], page.body]).toEqual(['3', all.slice(1, 2)])
  const first = await server.admin.get(`${address}&per_page=2&pagination=keyset`)
  const cursor = /[?&]cursor=([^&>]+)/.exec(String(first.headers['link']))?.[1]
  const next = await server.admin.get(`${address}&per_page=2&pagination=keyset&cursor=${cursor}`)
  expect([...first.body, ...next.body]).toEqual(all)
  expect(next.headers['link'] ?? '').not.toContain('rel="next"')
}

describe('GET …/vulnerabilities?group_by=flaw', () => {
  test.each(['/groups/acme', '/projects/:id', ''])('lists the flaws of %s', async (place) => {
    const own = place.replace(':id', `${shop.id}`)
    for (const client of [developer, server.admin]) {
      for (const query of ['', '&state=detected&severity=critical', '&search=injection', '&sort=priority_asc']) {
        const grouped = await flawsOf(`${own}/vulnerabilities?group_by=flaw${query}`, client)
        expect(grouped.length).toBeGreaterThan(0)
        expect(grouped).toEqual(await flawsOf(`${own}/vulnerability_flaws?${query.slice(1)}`, client))
      }
    }
  })

  test('shows each user what is assigned to them', async () => {
    const path = '/vulnerabilities?group_by=flaw&assignee_id=me'
    const other = await server.as('maintainer', shop)
    const [{ id }] = await flawsOf(`/projects/${shop.id}/vulnerabilities?severity=low`)
    await other.put(`/vulnerabilities/${id}/assignee`, { assignee_id: other.user?.id })
    expect(await flawsOf(path, developer)).toEqual([])
    expect(await flawsOf(path, other)).toMatchObject([{ title: 'Other' }])
    expect(await flawsOf(path, developer)).toEqual([])
    await other.delete(`/vulnerabilities/${id}/assignee`)
    expect(await flawsOf(path, other)).toEqual([])
  })

  test('has totals, pages and cursors in every order of the list', async () => {
    for (const sort of ['severity_asc', 'priority_desc', 'detected_desc', 'detected_asc', 'due_asc', 'due_desc']) {
      await expectPages(`/groups/acme/vulnerabilities?group_by=flaw&sort=${sort}`)
    }
  })

  test.each([
    'group_by=severity',
    'group_by=',
    'group_by=flaw&sort=count_desc',
    'group_by=flaw&cursor=x&pagination=keyset',
  ])('rejects %s', async (query) => {
    expect((await server.admin.get(`/groups/acme/vulnerabilities?${query}`)).status).toBe(400)
  })
})

test('a decision for a flaw changes its members where the caller may, and can be undone', async () => {
  const [{ id }] = await flawsOf(group)
  const change = { action: 'dismiss', reason: 'false_positive', filter: { flaw: `${id}` } }
  const dry = await server.admin.post('/groups/acme/vulnerability_bulk_changes', { ...change, dry_run: true })
  expect(dry.body).toMatchObject({ total: 3, changed: 3 })
  const maintainer = await server.as('maintainer', shop)
  const { status, body } = await maintainer.post('/groups/acme/vulnerability_bulk_changes', change)
  expect([status, body.changed]).toEqual([201, 2])
  const dismissed = async () => (await flawsOf(`${group}?flaw=${id}`))[0].states.dismissed
  expect(await dismissed()).toBe(2)
  expect(await flawsOf(`${group}?flaw=${id}&state=detected`)).toMatchObject([{ vulnerability_count: 1 }])
  await maintainer.post(`/vulnerability_bulk_changes/${body.id}/undo`)
  expect(await dismissed()).toBe(0)
})

test('the grouped list of a project has what a later report adds', async () => {
  const later = await server.project('other/later')
  const path = `/projects/${later.id}/vulnerabilities?group_by=flaw`
  expect(await flawsOf(path)).toEqual([])
  await server.report(later, [entry({ line: 3 })], { category: 'code' })
  expect(await flawsOf(path)).toMatchObject([{ title: 'Flaw', vulnerability_count: 1 }])
})
