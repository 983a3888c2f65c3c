import fc from 'fast-check'
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { testEngine } from '../../../testing/databases/database.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'
import { enqueue } from '../../jobs/job.ts'
import { dependencyReport } from './testing/dependency-report.ts'

let server: TestServer
let projects: TestProject[]

beforeAll(async () => {
  server = await startServer()
  projects = [await server.project('acme/shop'), await server.project('acme/site')]
})

/** Returns the sets of titles that have one key. */
async function groupsOf(ids: readonly number[]): Promise<string[][]> {
  const rows = await server.deps.db.all<{ title: string; flawKey: number }>(sql`
    select title, flaw_key from vulnerabilities where project_id in ${server.deps.db.dialect.integers(ids)}
    order by title`)
  expect(rows.every(({ flawKey }) => Number.isSafeInteger(flawKey))).toBe(true)
  const groups = new Map<number, string[]>()
  for (const { title, flawKey } of rows) groups.set(flawKey, [...(groups.get(flawKey) ?? []), title])
  return [...groups.values()].sort((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1))
}

describe('the key of a vulnerability', () => {
  test('changes with aliases that a later report of another project states', async () => {
    const [shop, site] = projects as [TestProject, TestProject]
    const pkg = 'lodash'
    await server.report(shop, dependencyReport('one', [{ title: 'a', names: ['GHSA-aaaa-bbbb-cccc'], pkg }]))
    await server.report(site, dependencyReport('two', [{ title: 'b', names: ['CVE-2031-1'], pkg }]))
    expect(await groupsOf([shop.id, site.id])).toEqual([['a'], ['b']])
    const both = [{ title: 'c', names: ['CVE-2031-1', 'GHSA-aaaa-bbbb-cccc'], pkg }]
    await server.report(site, dependencyReport('three', both), { category: 'c' })
    await server.runJobs()
    expect(await groupsOf([shop.id, site.id])).toEqual([['a', 'b', 'c']])
  })

  test('is computed by a job for vulnerabilities from before it was stored', async () => {
    const before = await groupsOf(projects.map(({ id }) => id))
    await server.deps.db.run(sql`update vulnerabilities set flaw_key = null`)
    await enqueue(server.deps, { kind: 'flaw-keys', key: 'flaw-keys', payload: {} })
    await server.runJobs()
    expect(await groupsOf(projects.map(({ id }) => id))).toEqual(before)
  })

  test('does not depend on the order of reports', async () => {
    const ghsas = ['GHSA-xxxx-0001', 'GHSA-xxxx-0002', 'GHSA-xxxx-0003']
    const others = ['PYSEC-2031-1', 'PYSEC-2031-2']
    let run = 0
    const names = fc.uniqueArray(fc.constantFrom(...ghsas, ...others), { minLength: 1, maxLength: 2 })
    const cve = fc.option(fc.constantFrom('CVE-2032-1', 'CVE-2032-2'), { nil: undefined })
    const findings = fc.array(fc.tuple(names, cve), { minLength: 2, maxLength: 6 })
    const orders = findings.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray([...all.keys()], { minLength: all.length })),
    )
    await fc.assert(
      fc.asyncProperty(orders, async ([all, order]) => {
        run++
        // Aliases are of the whole instance, so each order has names of its own.
        const importIn = async (indexes: number[], suffix: string) => {
          const project = await server.project(`orders/run-${run}-${suffix}`)
          for (const index of indexes) {
            const [some, of] = all[index] ?? [[], undefined]
            const own = [...some, ...(of ? [of] : [])].map((name) => `${name}${run}${suffix === 'a' ? 1 : 2}`)
            const report = dependencyReport(`scanner-${index}`, [{ title: `t${index}`, names: own, pkg: 'p' }])
            await server.report(project, report, { category: `c${index}` })
          }
          await server.runJobs()
          return groupsOf([project.id])
        }
        expect(await importIn(order, 'b')).toEqual(await importIn([...all.keys()], 'a'))
      }),
      { numRuns: testEngine === 'postgres' ? 4 : 12 },
    )
  })
})
