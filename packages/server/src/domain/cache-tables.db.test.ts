import { AsyncLocalStorage } from 'node:async_hooks'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { openCache } from '../db/cache.ts'
import { type Client, createClient, formWithFile } from '../testing/client.ts'
import { entry, sastReport } from '../testing/reports/reports.ts'
import type { TestServer } from '../testing/server.ts'
import { startIssuer } from '../testing/stand-ins/issuer.ts'
import { tablesIn, tablesOf } from '../testing/statement-tables.ts'

/*
 * A cached value is stale if its load reads a table that the cache does not declare, and is dropped too often if it
 * declares one that no load reads. Here every cache of the domain is filled by requests, and the tables of the
 * statements of its loads are compared with the declaration.
 */

interface RecordedCache {
  /** The file that opens the cache and the tables that it declares. */
  name: string
  declared: readonly string[]
  read: Set<string>
}

const caches = new Map<string, RecordedCache>()
/** The caches whose loads are running. */
const loading = new AsyncLocalStorage<readonly RecordedCache[]>()

vi.mock(import('../db/cache.ts'), async (importOriginal) => {
  const original = await importOriginal()
  const recordingCache: typeof openCache = (changes, tables, limit, weigh) => {
    const recorded = recordCache(tables)
    const cache = original.openCache(changes, tables, limit, weigh)
    /** Records the statements of the load, also for the loads that surround it. */
    const recording =
      <Held>(load: () => Promise<Held>) =>
      () =>
        loading.run([...(loading.getStore() ?? []), recorded], load)
    return {
      ...cache,
      get: (key, load, projectId) => cache.get(key, recording(load), projectId),
      getShared: (key, load, projectId, isCacheable) => cache.getShared(key, recording(load), projectId, isCacheable),
    }
  }
  return { ...original, openCache: recordingCache }
})

function recordCache(tables: readonly string[]): RecordedCache {
  const caller = new Error().stack
    ?.split('\n')
    .find((line) => /\/src\/(?!db\/)/.test(line) && !line.includes('.test.ts'))
  const file = /\/src\/(?:domain\/)?([^:]+)/.exec(caller ?? '')?.[1]
  const name = `${file}: ${[...tables].sort().join()}`
  const known = caches.get(name) ?? { name, declared: tables, read: new Set() }
  caches.set(name, known)
  return known
}

/** Tables that a cache declares although its loads do not read them. */
const indirect: Record<string, readonly string[]> = {
  // The projects of a page are read together and stored one by one.
  'projects/project-list.ts: namespaces,projects': ['namespaces', 'projects'],
  // Writing a vulnerability writes its counts.
  'vulnerabilities/list/list.ts: scanners,vulnerabilities,vulnerability_counts': ['vulnerabilities'],
  // The list has been opened with facet counts.
  'findings/list/filtered-list.ts: finding_identifiers,findings,identifiers,occurrences,promoted_findings,ref_dismissals,scanners,tagged_findings,vulnerabilities,vulnerability_counts,vulnerability_links,vulnerability_tags':
    ['scanners', 'vulnerability_counts'],
  'vulnerabilities/flaws/flaw-counts.ts: finding_identifiers,findings,identifiers,occurrences,promoted_findings,ref_dismissals,scanners,tagged_findings,vulnerabilities,vulnerability_counts,vulnerability_links,vulnerability_tags':
    ['scanners', 'vulnerability_counts'],
  'vulnerabilities/flaws/flaw-walk.ts: finding_identifiers,findings,identifiers,occurrences,promoted_findings,ref_dismissals,scanners,tagged_findings,vulnerabilities,vulnerability_counts,vulnerability_links,vulnerability_tags':
    ['scanners', 'vulnerability_counts'],
  'vulnerabilities/list/statistics.ts: findings,imports,occurrences,projects,scanners,vulnerabilities,vulnerability_counts,vulnerability_days':
    ['scanners', 'vulnerability_counts'],
}

/** Tables of which loads read columns that the values do not need. */
const irrelevant: Record<string, readonly string[]> = {
  // The last use of the token.
  'sign-in/sessions.ts: access_tokens,oidc_identities,sessions,users': ['token_uses'],
}

test('the loads of every cache read exactly the tables that it declares', async () => {
  // The set-up of the tests has loaded the server without the recording caches.
  vi.resetModules()
  const { startServer } = await import('../testing/server.ts')
  let known: ReadonlySet<string> = new Set()
  const server = await startServer({
    // Administrators use the caches of the topics that everyone sees, others those of their own.
    settings: { webhooksReachPrivate: true, hidesTopicsOfHiddenProjects: true },
    observe: ({ text }) => {
      for (const cache of loading.getStore() ?? []) for (const table of tablesIn(text, known)) cache.read.add(table)
    },
  })
  known = await tablesOf(server.deps.db)
  await useCaches(server)
  await describeDueDates(server)
  const describe = ({ name }: RecordedCache, tables: readonly string[]) => `${name} reads ${[...tables].sort().join()}`
  const without = (tables: Iterable<string>, others: readonly string[] = []) =>
    [...tables].filter((table) => !others.includes(table))
  // A load may find its rows in another cache, so the caches of the API may declare more tables than are observed here.
  const undeclared = [...caches.values()]
    .filter(({ name }) => name.startsWith('api/'))
    .map((cache) => describe(cache, without(cache.read, cache.declared)))
  expect(undeclared.filter((text) => !text.endsWith('reads '))).toEqual([])
  expect(undeclared.length).toBeGreaterThan(0)
  // The tables of rendered responses have a test in `http/pipeline/`; rendered Markdown depends on no table.
  const recorded = [...caches.values()].filter(({ name }) => !/^(http|api)\//.test(name) && !isBookmarks(name))
  const found = recorded.map((cache) => describe(cache, without(cache.read, irrelevant[cache.name])))
  const declared = recorded.map((cache) => describe(cache, without(cache.declared, indirect[cache.name])))
  expect(found.sort()).toEqual(declared.sort())
  const opened = new Set([...caches.values()].map(({ name }) => name.split(':')[0] ?? ''))
  expect(cachingFiles().filter((file) => !opened.has(file) && !isBookmarks(file))).toEqual([])
})

/** Positions in lists are collected from the pages of requests instead of loads; the tests of the lists cover them. */
const isBookmarks = (name: string) => /^findings\/list\/page-bookmarks\.ts/.test(name)

/** Returns the files of the domain that open caches. */
function cachingFiles(): string[] {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  const opensCache = (file: string) => /[^a-z]openCache[(<]/.test(readFileSync(join(import.meta.dirname, file), 'utf8'))
  return files.filter((file) => file.endsWith('.ts') && !file.includes('.test.') && opensCache(file))
}

/** Sends requests that together load every cache. */
async function useCaches(server: TestServer): Promise<void> {
  const { admin } = server
  const project = await server.project('acme/site', { visibility: 'private' })
  const group: number = project['namespace'].id
  const member = await server.as('developer', project)
  await admin.put(`/groups/${group}`, { visibility: 'private' })
  await fillProject(server, project.id)
  const id = project.id
  const filters = [
    ...[
      'severity=high',
      'search=flaw',
      'ref=main',
      'identifier=CWE-79',
      'not_tags=x',
      'dismissal_scope=ref',
      'has_issue=false',
      'scanner=semgrep',
      'has_resolution=true',
    ],
    ...['has_vulnerability=true', 'search=x&page=30', 'pipeline_id=1&page=30', 'ref=main&identifier=CWE-79&page=30'],
  ]
  const lists = ['vulnerabilities', 'vulnerability_findings', 'vulnerabilities/summary', 'vulnerability_statistics']
  const paths = [
    ...[`/projects/${id}`, '/projects/acme%2Fsite', `/groups/${group}`, '/groups/acme', '/groups', '/topics/1'],
    ...[
      '',
      'topic=web',
      'search=site',
      'starred=true',
      'membership=true',
      'min_access_level=20',
      'owned=true',
      'custom_attributes[a]=b',
    ].map((filter) => `/projects?${filter}`),
    ...[
      '/topics',
      '/topics?search=web',
      '/topics?name=web&page=30',
      '/topics/duplicates',
      '/topics/1/related',
      `/projects/${id}/uploads`,
    ],
    ...[
      '/vulnerabilities',
      '/vulnerabilities/1',
      '/vulnerabilities/summary',
      '/vulnerabilities?topic=web',
      '/vulnerability_statistics',
    ],
    ...['/security_dashboard', '/security_dashboard/activity'],
    ...['/security_dashboard/coverage', '/security_dashboard/coverage/projects?missing=sast'],
    ...[
      // In both orders the load reads another list than the request has opened.
      ...['count_desc', 'priority_asc'].flatMap((sort) =>
        [
          '',
          'search=flaw',
          'ref=main',
          'identifier=CWE-79',
          'not_tags=x',
          'dismissal_scope=ref',
          'has_issue=false',
        ].map((filter) => `/vulnerability_flaws?sort=${sort}&${filter}`),
      ),
    ],
    ...[`/groups/${group}/vulnerabilities`, `/groups/${group}/vulnerability_statistics`],
    ...lists.flatMap((list) => filters.map((filter) => `/projects/${id}/${list}?${filter}`)),
  ]
  for (const client of [admin, member, server.anonymous]) {
    for (const path of paths) expect((await client.get(path)).status, path).toBeLessThan(500)
  }
  await signIn(server, member)
  await trustedRequest(server, project.id)
}

async function fillProject({ admin }: TestServer, project: number): Promise<void> {
  await admin.put(`/projects/${project}`, { topics: ['web', 'webs'] })
  await admin.post(`/projects/${project}/star`)
  await admin.post(`/projects/${project}/uploads`, formWithFile('file', 'one.txt', 'text'))
  // Short lists are not collected.
  for (const [category, promote] of [
    ['a', 'true'],
    ['b', 'false'],
  ] as const) {
    const entries = Array.from({ length: 600 }, (_, line) => entry({ name: `Flaw ${category}`, line, file: category }))
    const form = formWithFile('file', 'report.json', JSON.stringify(sastReport(entries)), { promote, category })
    expect((await admin.post(`/projects/${project}/security_reports`, form)).status).toBeLessThan(300)
  }
}

async function signIn(server: TestServer, member: Client): Promise<void> {
  const login = member.user?.username
  const signedIn = await server.anonymous.post('//-/sessions', { login, password: 'correct horse battery' })
  expect(signedIn.status, signedIn.text).toBe(201)
  const { token } = await server.client(member, { scopes: ['api'] })
  const withToken = await server.anonymous.post('//-/sessions', { token })
  for (const { headers: sent } of [signedIn, withToken]) {
    const headers = { cookie: sent['set-cookie']?.split(';')[0] ?? '', 'x-alcove-session': '1' }
    expect((await server.anonymous.get('/user', { headers })).status).toBe(200)
  }
}

/** Describes a message about due dates, whose counts all recipients share. */
async function describeDueDates({ admin, deps }: TestServer): Promise<void> {
  const { dueDateMail } = await import('./notifications/due-dates.ts')
  expect((await admin.put('/user/notification_settings', { due_dates: true })).status).toBe(200)
  const root = { id: 1, name: 'Administrator', username: 'root', isConfirmed: true }
  const day = deps.now().slice(0, 10)
  expect(
    await dueDateMail.describe(deps, { address: 'root@example.test', user: root }, { days: [day] }),
  ).toBeUndefined()
}

/** Authenticates with a token of a trusted issuer. */
async function trustedRequest(server: TestServer, project: number): Promise<void> {
  const issuer = await startIssuer(server.deps.now)
  const audience = 'https://alcove.test'
  const relation = { name: 'CI', issuer: issuer.url, audience, claims: { sub: 'ci' }, scopes: ['api'] }
  expect((await server.admin.post(`/projects/${project}/trust_relations`, relation)).status).toBe(201)
  const client = createClient(server.app, { token: await issuer.sign({ sub: 'ci' }) })
  expect((await client.get(`/projects/${project}`)).status).toBe(200)
}
