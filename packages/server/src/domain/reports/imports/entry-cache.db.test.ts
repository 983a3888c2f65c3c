import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'
import { entryCacheOf, maxCachedBytes } from './entry-cache.ts'

const lines = Array.from({ length: 1200 }, (_, index) => index + 1)
const entryAt = (line: number, changes: object = {}) => ({ ...entry({ line, name: `Flaw ${line}` }), ...changes })
/** Large enough for the cache. */
const report = (changed: (line: number) => object | object[] | undefined = () => undefined) =>
  sastReport(lines.flatMap((line) => changed(line) ?? entryAt(line)))

const rowsOf = async ({ deps: { db } }: TestServer) => ({
  findings: await db.all(sql`
    select uuid, name, description, severity, digest, vulnerability_id from findings order by uuid`),
  occurrences: await db.all(sql`
    select f.uuid, o.ref, o.is_present from occurrences o join findings f on f.id = o.finding_id order by o.ref, f.uuid`),
  vulnerabilities: await db.all(sql`select title, severity, state from vulnerabilities order by title, id`),
})

/** Displaces all entries from the cache. */
const emptyCache = ({ deps }: TestServer) =>
  entryCacheOf(deps, 'other').set('displaces all', new Uint8Array(maxCachedBytes - 1024))

/** Number of statements that load the digests of a report of this size. */
const rangesOfUuids = 16

const edit = { description: 'Another text.' }
const steps: [report: object, fields?: Record<string, string>][] = [
  [report()],
  [report()],
  // Edited, moved, removed, repeated and new entries.
  [
    report((line) => {
      if (line === 10) return entryAt(line, edit)
      if (line === 20) return []
      if (line === 30) return [entryAt(line), entryAt(line, edit), entryAt(1030)]
      return line === 40 ? entryAt(1040, { name: 'Flaw 40' }) : undefined
    }),
  ],
  [report()],
  [report((line) => (line % 100 === 7 ? entryAt(line, edit) : undefined)), { ref: 'feature' }],
  [report(), { ref: 'feature' }],
  [report((line) => (line % 2 === 0 ? [] : undefined)), { ref: 'feature', category: 'nightly' }],
  // Samples and promotion follow the order of the file.
  [report((line) => (line < 100 ? [] : undefined)), { ref: 'r1', promote: 'false' }],
  [report(), { ref: 'r1', promote: 'false' }],
  [report((line) => (line < 200 ? [] : undefined)), { ref: 'r1', promote: 'false' }],
  [report((line) => (line % 2 === 1 ? entryAt(line, edit) : undefined)), { ref: 'r1', promote: 'false' }],
  [report((line) => (line > 890 ? { ...entryAt(line), identifiers: [] } : undefined))],
  [sastReport(lines.map((line) => entryAt(line)).reverse(), 'other-scanner')],
]

test('imports have the same effects with cached entries as without', { timeout: 60_000 }, async () => {
  const [cached, read] = [await startServer(), await startServer()]
  const projects: [TestServer, TestProject][] = [
    [cached, await cached.project('acme/site')],
    [read, await read.project('acme/site')],
  ]
  for (const [report, fields] of steps) {
    emptyCache(read)
    const [one, other] = await Promise.all(projects.map(([server, project]) => server.report(project, report, fields)))
    const shown = ({ findings, samples, warnings, skipped, merged, errors }: typeof one) => ({
      ...{ findings, samples, warnings, skipped, merged, errors },
    })
    expect(shown(one)).toEqual(shown(other))
    expect(await rowsOf(cached)).toEqual(await rowsOf(read))
  }
})

test('a report is read again if a finding changes while its cached entry is used', async () => {
  let afterDigests: (() => void) | undefined
  let loads = 0
  const server = await startServer({
    observe: ({ text }) => {
      if (!text.includes('select f.uuid, f.digest from findings f')) return
      loads++
      if (loads === rangesOfUuids) afterDigests?.()
    },
  })
  const project = await server.project('acme/site')
  const { db } = server.deps
  await server.report(project, report())
  const before = await rowsOf(server)
  let changes = 0
  afterDigests = () => {
    afterDigests = undefined
    void db.run(sql`update findings set digest = 'other' where name = 'Flaw 5'`).then((count) => {
      changes = count
    })
  }
  loads = 0
  // The digests have been loaded by then, and no entry has been compared.
  const again = await server.report(project, report())
  expect(changes).toBe(1)
  expect(again.findings).toMatchObject({ new: 0, known: lines.length })
  expect(await rowsOf(server)).toEqual(before)
  expect(loads).toBe(2 * rangesOfUuids)
})
