import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { zip } from '../../testing/reports/zip.ts'
import { startServer, type TestServer } from '../../testing/server.ts'
import type { RootDeps } from '../deps.ts'
import { openFeedFile } from './feed-file.ts'
import { loadFeedFile, loadFeedFolder } from './feed-folder.ts'
import { loadFeed } from './load-feed.ts'

let folder: string
let server: TestServer
let deps: RootDeps
beforeAll(async () => {
  server = await startServer()
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alcove-feeds-'))
  await mkdir(join(folder, 'feeds'))
  deps = { ...server.deps, settings: { ...server.deps.settings, dataFolder: folder } }
  await deps.db.run(sql`update feeds set generation = 0, row_count = 0, published_at = null, loading_until = null`)
  for (const table of [sql`epss_scores`, sql`kev_entries`, sql`osv_aliases`, sql`feed_files`]) {
    await deps.db.run(sql`delete from ${table}`)
  }
  return () => rm(folder, { recursive: true })
})
afterAll(() => server.deps.db.run(sql`delete from feed_files`))

const epss = (day: string, scores: Record<string, string>) =>
  `#model_version:v1,score_date:${day}T00:00:00+0000\ncve,epss,percentile\n${Object.entries(scores)
    .map(([cve, score]) => `${cve},${score},0.5\n`)
    .join('')}`

async function place(name: string, content: string | Buffer, at = '2026-01-01T00:00:00Z'): Promise<string> {
  const path = join(folder, 'feeds', name)
  await writeFile(path, content)
  await utimes(path, new Date(at), new Date(at))
  return path
}

const scores = () =>
  deps.db.all<{ cve: string; scoreMillionths: number }>(sql`
    select cve, score_millionths from epss_scores where generation = (select generation from feeds where kind = 'epss')
    order by cve`)

const storedRows = async () =>
  (await deps.db.one<{ total: number }>(sql`select count(*) as total from epss_scores`))?.total

const read = async () => (await server.admin.get('/admin/feeds')).body

test('files of the folder are loaded once, and again when they change', async () => {
  await place('epss.csv', epss('2026-11-20', { 'CVE-2024-0001': '0.1', 'CVE-2024-0002': '0.2' }))
  await place('kev.json', JSON.stringify({ vulnerabilities: [{ cveID: 'CVE-2024-0001', dateAdded: '2024-01-01' }] }))
  await place('osv.jsonl', '{"id":"GHSA-1","aliases":["CVE-2024-0001"]}\n')
  await loadFeedFolder(deps)
  expect(await scores()).toEqual([
    { cve: 'CVE-2024-0001', scoreMillionths: 100_000 },
    { cve: 'CVE-2024-0002', scoreMillionths: 200_000 },
  ])
  const loaded = await read()
  expect(loaded).toMatchObject({
    feeds: [
      { kind: 'epss', rows: 2, version: 'v1', published_at: '2026-11-20T00:00:00.000Z', file: 'epss.csv' },
      { kind: 'kev', rows: 1, published_at: null, age_days: null },
      { kind: 'osv', rows: 2 },
    ],
    rejected_files: [],
  })
  await loadFeedFolder(deps)
  expect(await read()).toEqual(loaded)

  await place('epss.csv', epss('2026-11-21', { 'CVE-2024-0001': '0.3' }), '2026-01-02T00:00:00Z')
  await loadFeedFolder(deps)
  expect(await scores()).toEqual([{ cve: 'CVE-2024-0001', scoreMillionths: 300_000 }])
  expect(await storedRows()).toBe(1)
})

test('a broken file is rejected as a whole, and the former rows stay', async () => {
  await place('epss.csv', epss('2026-11-20', { 'CVE-2024-0001': '0.1' }))
  await loadFeedFolder(deps)
  const many = Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`CVE-2024-${10_000 + index}`, '0.5']))
  await place('epss.csv', `${epss('2026-11-21', many)}CVE-2024-9,2,2\n`, '2026-01-02T00:00:00Z')
  await place('other.txt', 'no feed\n')
  await loadFeedFolder(deps)
  expect(await scores()).toEqual([{ cve: 'CVE-2024-0001', scoreMillionths: 100_000 }])
  expect(await storedRows()).toBe(1)
  expect((await read()).rejected_files).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        file: 'epss.csv',
        kind: 'epss',
        error: expect.stringContaining('line 6003: expected'),
      }),
      expect.objectContaining({ file: 'other.txt', kind: null, error: expect.stringContaining('not recognised') }),
    ]),
  )
})

test('an archive of OSV in the folder is loaded, and a broken one is rejected with the file that is wrong', async () => {
  const advisory = (id: string) => ({ name: `${id}.json`, content: JSON.stringify({ id, aliases: ['CVE-2024-0001'] }) })
  const aliases = () =>
    deps.db.all<{ name: string }>(sql`
      select name from osv_aliases where alias = 'CVE-2024-0001'
        and generation = (select generation from feeds where kind = 'osv') order by name`)
  // GHSA-1 stands twice, as advisories of several ecosystems do.
  await place('all.zip', zip([advisory('GHSA-1'), advisory('GHSA-2'), advisory('GHSA-1')]))
  await loadFeedFolder(deps)
  expect(await aliases()).toEqual([{ name: 'GHSA-1' }, { name: 'GHSA-2' }])
  expect((await read()).feeds).toContainEqual(expect.objectContaining({ kind: 'osv', rows: 4, file: 'all.zip' }))

  const many = Array.from({ length: 3_000 }, (_, index) => advisory(`GHSA-${index}`))
  await place('all.zip', zip([...many, { name: 'b\0.json', content: '\0' }]), '2026-01-02T00:00:00Z')
  await mkdir(join(folder, 'feeds', 'a-folder.json'))
  await loadFeedFolder(deps)
  expect(await aliases()).toEqual([{ name: 'GHSA-1' }, { name: 'GHSA-2' }])
  expect((await read()).rejected_files).toEqual([
    expect.objectContaining({
      file: 'all.zip',
      kind: 'osv',
      error: expect.stringContaining('b .json: not valid JSON'),
    }),
  ])
})

test('a load ends without effect when the server stops, and is repeated afterwards', async () => {
  await place('a.csv', epss('2026-11-19', { 'CVE-2024-0001': '0.1' }))
  await loadFeedFolder({ ...deps, stopping: AbortSignal.abort() })
  const path = join(folder, 'feeds', 'a.csv')
  expect(await loadFeedFile({ ...deps, stopping: AbortSignal.abort() }, path, { isForced: false })).toEqual({
    kind: 'epss',
    outcome: 'busy',
  })
  expect(await scores()).toEqual([])
  expect(await storedRows()).toBe(0)
  await loadFeedFolder(deps)
  expect(await scores()).toHaveLength(1)
})

test('of several files the newest is loaded, and older data replaces newer data only by force', async () => {
  const older = await place('a.csv', epss('2026-11-19', { 'CVE-2024-0001': '0.1' }), '2026-01-01T00:00:00Z')
  await place('b.csv', epss('2026-11-20', { 'CVE-2024-0001': '0.2' }), '2026-01-02T00:00:00Z')
  await loadFeedFolder(deps)
  expect(await scores()).toEqual([{ cve: 'CVE-2024-0001', scoreMillionths: 200_000 }])
  expect(await loadFeedFile(deps, older, { isForced: false })).toEqual({ kind: 'epss', outcome: 'older' })
  expect(await loadFeedFile(deps, older, { isForced: true })).toMatchObject({ outcome: 'loaded', rowCount: 1 })
  expect(await scores()).toEqual([{ cve: 'CVE-2024-0001', scoreMillionths: 100_000 }])
})

test('a file with less than half of the loaded rows is rejected as truncated', async () => {
  await place('a.csv', epss('2026-11-19', { 'CVE-2024-0001': '0.1', 'CVE-2024-0002': '0.1', 'CVE-2024-0003': '0.1' }))
  await loadFeedFolder(deps)
  const fewer = await place('b.csv', epss('2026-11-20', { 'CVE-2024-0001': '0.2' }), '2026-01-02T00:00:00Z')
  await expect(loadFeedFile(deps, fewer, { isForced: false })).rejects.toThrow('1 rows are less than half of the 3')
  expect(await scores()).toHaveLength(3)
})

test('one process loads a feed at a time, and one that ended during a load is replaced', async () => {
  const path = await place('a.csv', epss('2026-11-19', { 'CVE-2024-0001': '0.1' }))
  const file = await openFeedFile(path)
  let inner: unknown
  const outcome = await loadFeed(
    deps,
    {
      kind: 'epss',
      async *read() {
        inner = await loadFeedFile(deps, path, { isForced: false })
        return yield* file.read()
      },
    },
    { fileName: 'a.csv', isForced: false },
  )
  expect(inner).toEqual({ kind: 'epss', outcome: 'busy' })
  expect(outcome).toEqual({ outcome: 'loaded', rowCount: 1 })

  await deps.db.run(sql`
    update feeds set last_generation = last_generation + 1, loading_until = '2020-01-01T00:00:00.000Z' where kind = 'epss'`)
  expect(await loadFeedFile(deps, path, { isForced: false })).toMatchObject({ outcome: 'loaded' })
})

test('readers never see a part of a load', async () => {
  const all = Object.fromEntries(Array.from({ length: 12_000 }, (_, index) => [`CVE-2024-${10_000 + index}`, '0.5']))
  const path = await place('a.csv', epss('2026-11-19', all))
  const seen = new Set<number>()
  let isDone = false
  const loading = loadFeedFile(deps, path, { isForced: false }).finally(() => {
    isDone = true
  })
  while (!isDone) {
    seen.add((await scores()).length)
    await setImmediate()
  }
  await loading
  seen.add((await scores()).length)
  expect([...seen].sort((a, b) => a - b)).toEqual(seen.has(0) ? [0, 12_000] : [12_000])
})

test('only administrators read the feeds', async () => {
  const user = await server.user('feeds-reader')
  expect(await user.get('/admin/feeds')).toMatchObject({ status: 403 })
  expect(await server.anonymous.get('/admin/feeds')).toMatchObject({ status: 401 })
})
