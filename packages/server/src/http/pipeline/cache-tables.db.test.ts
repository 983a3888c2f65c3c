import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { openApp } from '../../app.ts'
import { dependencyReport } from '../../domain/vulnerabilities/flaws/testing/dependency-report.ts'
import { routes } from '../../routes.ts'
import { createClient, formWithFile } from '../../testing/client.ts'
import { entry, sastReport } from '../../testing/reports/reports.ts'
import { startServer, type TestServer } from '../../testing/server.ts'
import { tablesIn, tablesOf } from '../../testing/statement-tables.ts'
import { addressOf, type Route } from '../route.ts'

/*
 * A cached response is stale if its handler reads a table that `cacheTables` does not declare, and is dropped too often
 * if it declares one that the handler does not read. Here each cached handler runs on empty caches with all of its
 * parameters, and the tables of its statements are compared with the declaration.
 */

const filters = [
  ...['severity=critical,high', 'state=detected', 'report_type=sast', 'scanner=semgrep', 'identifier=CWE-79'],
  ...['search=flaw', 'search=x', 'ref=main', 'page=2&per_page=1'],
]
/** Queries that together reach every statement of a handler. */
const queries: Record<string, readonly string[]> = {
  '/-/openapi.json': [''],
  '/topics': ['', 'search=web', 'name=web', 'without_projects=true'],
  '/groups': ['', 'owned=true', 'min_access_level=30', 'search=acme', 'with_custom_attributes=true'],
  '/groups/:id': ['', 'with_projects=false', 'with_custom_attributes=true'],
  '/groups/:id/subgroups': ['', 'owned=true', 'search=acme', 'with_custom_attributes=true'],
  '/groups/:id/descendant_groups': ['', 'owned=true', 'search=acme', 'with_custom_attributes=true'],
  '/groups/:id/members': ['', 'query=x'],
  '/groups/:id/members/all': ['', 'query=x'],
  '/projects/:id/members': ['', 'query=x'],
  '/projects/:id/members/all': ['', 'query=x'],
  '/users': ['', 'search=root', 'active=true', 'two_factor=enabled', 'with_custom_attributes=true'],
  '/users/:id': ['', 'with_custom_attributes=true'],
  '/user': [''],
  '/api/v3/user': [''],
  '/projects/:id/uploads': ['', 'with_details=true', 'search=one', 'deleted=true'],
  '/groups/:id/uploads': ['', 'with_details=true'],
  '/projects/:id/security_reports': ['', 'ref=main'],
  '/projects/:id/vulnerabilities': [
    ...[
      '',
      'assignee_id=1',
      'not_tags=web',
      'has_issue=false',
      'dismissal_scope=ref',
      'assignee_id=none,1',
      ...filters,
      'sort=detected_asc',
      'group_by=flaw',
      'group_by=flaw&has_issue=false',
      'has_resolution=false',
      'dismissal_reason=used_in_tests',
    ],
    ...['present_on_default_branch=false', 'pagination=keyset&per_page=1', 'search=flaw&ref=main&identifier=CWE-79'],
  ],
  '/projects/:id/vulnerability_flaws': [
    ...[
      '',
      'sort=count_asc',
      'assignee_id=none,1',
      'not_tags=web',
      'has_issue=false',
      'dismissal_scope=ref',
      ...filters,
    ],
  ],
  '/projects/:id/vulnerabilities/summary': [
    '',
    'not_tags=web',
    'has_issue=false',
    'dismissal_scope=ref',
    ...filters.filter((query) => !query.startsWith('page')),
  ],
  '/projects/:id/vulnerability_findings': ['', ...filters, 'scope=all', 'has_vulnerability=false', 'pipeline_id=1'],
}

const isCached = (route: Route) => route.cacheTables !== undefined
const cachedRoutes = routes.filter(isCached)

test('every cached route is requested below', () => {
  expect(Object.keys(queries).sort()).toEqual(cachedRoutes.map(({ path }) => path).sort())
})

test('cached handlers read exactly the tables that they declare', async () => {
  const reading = new AsyncLocalStorage<Set<string>>()
  let known: ReadonlySet<string> = new Set()
  const server = await startServer({
    observe: ({ text }) => {
      for (const table of tablesIn(text, known)) reading.getStore()?.add(table)
    },
  })
  known = await tablesOf(server.deps.db)
  const ids = await fill(server)
  const member = await server.user('member')
  const membership = { user_id: member.user?.id, access_level: 30 }
  expect((await server.admin.post(`/groups/${ids['groups']}/members`, membership)).status).toBe(201)

  const found: string[][] = []
  const declared: string[][] = []
  for (const route of cachedRoutes) {
    const read = new Set<string>()
    // A server of its own has no caches yet, in which another handler may have left what this one needs.
    const recorded = { ...route, handle: (context: never) => reading.run(read, () => route.handle(context)) }
    const { server: app } = await openApp(withoutCaches(server), [recorded])
    const path = `/${addressOf(route)}`.replace(':id', String(ids[route.path.split('/')[1] ?? '']))
    // Handlers read the memberships of other callers than administrators.
    for (const caller of route.isPerCaller ? [server.admin, member] : [server.admin]) {
      const client = createClient(app, caller)
      for (const query of queries[route.path] ?? []) {
        const reply = await client.get(`${path}?${query}`)
        expect(reply.status, `${path}?${query}: ${reply.text}`).toBe(200)
      }
    }
    await app.close()
    found.push([route.path, ...[...read].sort()])
    declared.push([route.path, ...[...(route.cacheTables ?? [])].sort()])
  }
  expect(found).toEqual(declared)
})

/** Returns dependencies with the same database, in which nothing is ever cached. */
function withoutCaches({ deps }: TestServer): TestServer['deps'] {
  return { ...deps, db: { ...deps.db, changes: { ...deps.db.changes, version: () => undefined } } }
}

/** Creates one of everything that the handlers read. Returns the ids by the first segment of a path. */
async function fill(server: TestServer): Promise<Record<string, number>> {
  const { admin } = server
  const group = (await admin.post('/groups', { name: 'Acme', path: 'acme' })).body.id
  const project = (await admin.post('/projects', { name: 'site', path: 'site', namespace_id: group })).body.id
  const topic = (await admin.post('/topics', { name: 'web', title: 'Web' })).body.id
  for (const owner of [`/projects/${project}`, `/groups/${group}`]) {
    for (const name of ['one.txt', 'two.txt']) await admin.post(`${owner}/uploads`, formWithFile('file', name, 'text'))
  }
  // Lists use the indexes of their filters only above 500 rows.
  for (const [category, promote, count] of [
    ['a', 'true', 400],
    ['b', 'true', 400],
    ['c', 'false', 3],
  ] as const) {
    const entries = Array.from({ length: count }, (_, line) =>
      entry({ name: `Flaw ${category}`, line: line + 1, file: category }),
    )
    const form = formWithFile('file', 'report.json', JSON.stringify(sastReport(entries)), { promote, category })
    expect((await admin.post(`/projects/${project}/security_reports`, form)).status).toBeLessThan(300)
  }
  // The names of a flaw can have aliases.
  const advisory = { title: 'Injection', names: ['GHSA-35jh-r3h4-6jhm', 'CVE-2021-23337'], pkg: 'lodash' }
  await server.report({ id: project }, dependencyReport('grype', [{ ...advisory, severity: 'Critical' }]))
  const [first] = (await admin.get(`/projects/${project}/vulnerabilities`)).body
  await admin.post(`/vulnerabilities/${first.id}/dismiss`, { comment: 'no', dismissal_reason: 'used_in_tests' })
  await admin.post(`/projects/${project}/vulnerabilities/bulk`, { action: 'confirm', filter: {} })
  return { groups: group, projects: project, topics: topic, users: 1 }
}
