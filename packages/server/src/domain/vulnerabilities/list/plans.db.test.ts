import sql, { raw, type Sql } from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { columnValues } from '../../../db/column-values.ts'
import type { Db } from '../../../db/db.ts'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../../testing/server.ts'
import { listByKeys, listByUuids } from '../../findings/candidate-queries.ts'
import { contentColumns } from '../../findings/finding-content.ts'
import { listUnobserved } from '../../findings/finding-queries.ts'
import { createFindings } from '../../findings/findings.ts'
import { upsertIdentifiers } from '../../findings/identifier-queries.ts'
import { findKnownFindings, listDigests } from '../../findings/known-finding-queries.ts'
import { promotionFilter, selectPresent } from '../../findings/list/finding-filter-queries.ts'
import { packageFilters } from '../../findings/list/package-filter-sql.ts'
import { deleteMatches } from '../../findings/match-queries.ts'
import { loadCategories } from '../../findings/occurrences/category-queries.ts'
import { listOccurrences } from '../../findings/occurrences/occurrence-list-queries.ts'
import { markAbsent, removeFromCategory } from '../../findings/occurrences/occurrence-queries.ts'
import { listMissedBy, listOfScanner } from '../../findings/occurrences/scan-queries.ts'
import {
  countOnlyOnTarget,
  listFixedOnRef,
  listOfScannerAndType,
} from '../../findings/ref-comparison/ref-comparison-queries.ts'
import { listStaged } from '../../findings/staged-finding-queries.ts'
import { insertCreated } from '../triage/history/history-queries.ts'
import { countBacklogs } from './evidence-queries.ts'
import { findingFilters } from './filter-sql/finding-filter-sql.ts'
import { tagFilters } from './filter-sql/tag-filter-sql.ts'
import { listFromRanges } from './list-queries.ts'
import { unindexedFilters } from './unindexed-filter-queries.ts'

let db: Db
beforeAll(async () => {
  const server = await startServer()
  db = server.deps.db
  const project = await server.project('acme/site')
  const rows = Array.from(
    { length: 12_000 },
    (_, id): MadeUp => ({
      ...usual,
      ...{ id: id + 1, projectId: project.id, tags: ['web'] },
    }),
  )
  await insertMadeUp(db, rows, server.deps.now())
  await insertOfFindings(server.deps.now())
})

/** What a large import leaves of each finding beside it. */
async function insertOfFindings(now: string): Promise<void> {
  await db.run(sql`
    insert into finding_keys (finding_id, rank, project_id, key) select id, 1, project_id, 'key-' || id from findings`)
  await db.run(sql`
    insert into finding_matches (project_id, finding_id, uuid, reason, ref, old_location, new_location, created_at)
    select project_id, id, 'former-' || id, 'code', 'main', '{}', '{}', ${now} from findings`)
  await db.run(sql`
    insert into identifiers (id, project_id, fingerprint, external_type, external_id, name)
    select 100000 + id, project_id, 'fingerprint-' || id, 'cve', 'CVE-' || id, 'CVE' from findings`)
  await db.run(sql`
    insert into imports (id, project_id, ref, format, report_type, file_sha256, file_bytes, findings_read, findings_new,
      findings_known, findings_absent, findings_reappeared, findings_merged, findings_skipped, warnings, state, created_at)
    values (1, 1, 'main', 'gitlab', 'sast', '', 0, 0, 0, 0, 0, 0, 0, 0, '[]', 'done', ${now})`)
  await db.run(sql`insert into staged_findings (import_id, uuid, draft) select 1, uuid, '{}' from findings`)
}

const isSqlite = () => db.dialect.engine === 'sqlite'

async function planOf(query: Sql): Promise<string> {
  const rows = await db.all<object>(sql`${raw(isSqlite() ? 'explain query plan' : 'explain')} ${query}`)
  return rows.map((row) => Object.values(row).join(' ')).join('\n')
}

/** Returns the plans of the statements that a function would run. */
async function plansIn(work: (db: Db) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = []
  await work({
    ...db,
    async run(query) {
      plans.push(await planOf(query))
      return 0
    },
    async all(query) {
      plans.push(await planOf(query))
      return []
    },
  })
  return plans
}

const planIn = async (work: (db: Db) => Promise<unknown>) => (await plansIn(work))[0] ?? ''

// PostgreSQL counts a minute after much has changed, at best; until then it must not take small tables for granted.
describe('before the engine has table statistics', () => {
  test('unpromoted findings are looked up by id', async () => {
    const scope = { projectId: 1, ref: 'main' }
    const filter = promotionFilter(db.dialect, scope, false)
    const [waiting] = filter.indexes?.flatMap(({ findingsOf }) => findingsOf) ?? []
    if (!waiting) throw new Error('what waits is found by an index')
    const candidates = sql`select c.id from (${waiting(sql`= 1`)}) as c where c.id > 1 and c.id <= 2500`
    expect(
      await planOf(
        selectPresent(db, { ...scope, severities: ['critical', 'low'], states: ['detected'] }, candidates, [filter]),
      ),
    ).toMatch(
      isSqlite()
        ? /SEARCH o USING INDEX sqlite_autoindex_occurrences_1 \(finding_id=\? AND ref=\?\)/
        : /occurrences_finding_id_ref_key/,
    )
  })

  test('findings that await promotion are found in their project or import, not in all projects', async () => {
    const scope = { projectId: 1, ref: 'main' }
    const [waiting] = promotionFilter(db.dialect, scope, false).indexes?.flatMap(({ findingsOf }) => findingsOf) ?? []
    if (!waiting) throw new Error('the filter has no index')
    const plans = [
      await planOf(sql`select c.id from (${waiting(sql`= 1`)}) as c where c.id > 1 and c.id <= 2500`),
      await planIn((db) => countBacklogs(db, [1, 2], 1)),
      await planIn((db) => listUnobserved(db, 1, 100)),
    ]
    const indexes = isSqlite()
      ? [/findings_unpromoted \(project_id=/, /findings_unpromoted \(project_id=/, /findings_import \(import_id=/]
      : [/findings_unpromoted/, /findings_unpromoted/, /findings_import/]
    expect(plans).toEqual(indexes.map((index) => expect.stringMatching(index)))
  })

  test('findings that only the target of a comparison has are found by the ids of few candidates', async () => {
    const refs = { projectId: 1, ref: 'feature', targetRef: 'main' }
    const candidates = [1, 2, 3]
    const plans = [
      await planIn((db) => countOnlyOnTarget(db, refs, [], candidates)),
      await planIn((db) => listFixedOnRef(db, refs, [], { severities: ['high'], except: [], candidates })),
    ]
    const byIds = isSqlite()
      ? /SEARCH o USING INDEX sqlite_autoindex_occurrences_1 \(finding_id=\? AND ref=\?\)/
      : /occurrences o [\s\S]*Index Cond: \(\(finding_id = ANY/
    expect(plans).toEqual([expect.stringMatching(byIds), expect.stringMatching(byIds)])
    const scanner = { scannerId: 1000, reportType: 'sast' }
    expect(await planIn((db) => listOfScannerAndType(db, scanner, 10))).toMatch(/findings_scanner/)
  })

  test('a list without filters does not serialise the ids of its projects', () => {
    const dialect = { ...db.dialect, integers: () => expect.unreachable() }
    const rows = { filter: {}, projectIds: [1, 2], counts: [], order: { id: 'desc' }, today: '' } as const
    expect(unindexedFilters({ ...db, dialect }, rows)).toBeUndefined()
  })

  test.each([
    ['lodash', 1],
    ['@acme/core', 1],
    ['pkg:npm/lodash@4.17.20', 1],
  ])('findings in the package %s are looked up by its name', async (name, projectId) => {
    const [filter] = packageFilters(db, { packages: [name] }, [projectId])
    const [inPackage] = filter?.indexes?.flatMap(({ findingsOf }) => findingsOf) ?? []
    if (!inPackage) throw new Error('a package is found by an index')
    for (const isKey of [sql`= ${projectId}`, sql`in ${db.dialect.integers([projectId, 2])}`]) {
      expect(await planOf(inPackage(isKey))).toMatch(/findings_by_package/)
    }
  })

  test('findings with a tag are read in the order of ids from the index of tags', async () => {
    const [filter] = tagFilters(db, { tags: ['web'] }, [1])
    const [withTag] = filter?.indexes?.flatMap(({ findingsOf }) => findingsOf) ?? []
    if (!withTag) throw new Error('a tag is found by an index')
    const candidates = sql`select c.id from (${withTag(sql`= 1`)}) as c where c.id > 7 order by c.id limit 1`
    const plan = await planOf(candidates)
    expect(plan).toMatch(
      isSqlite()
        ? /SEARCH tagged USING COVERING INDEX sqlite_autoindex_tagged_findings_1 \(tag_id=\? AND finding_id>\?\)/
        : /using tagged_findings_pkey on tagged_findings/,
    )
    expect(plan).not.toMatch(isSqlite() ? /TEMP B-TREE/ : /Sort {2}\(/)
  })

  test.each([{ tags: ['web'] }, { notTags: ['web'] }])(
    'tags of listed findings are looked up by id: %o',
    async (filter) => {
      const rows = { filter, projectIds: [1], counts: [], order: { id: 'desc' }, today: '' } as const
      const plan = await planIn(async (db) => unindexedFilters(db, rows)?.listMatching([1, 2, 3]))
      expect(plan).toMatch(
        isSqlite()
          ? /SEARCH tagged USING COVERING INDEX tagged_findings_finding \(finding_id=\?/
          : /using tagged_findings_(?:finding|pkey) on tagged_findings/,
      )
    },
  )

  test.each([
    [{ images: ['alpine'] }, /findings_by_image/],
    [{ hasRemediations: true }, /findings_with_remediation/],
  ])('findings with %o are read from an index', async (filter, index) => {
    const plans: string[] = []
    for (const { indexes = [] } of findingFilters(db, filter, [1])) {
      for (const { keys } of indexes) {
        if ('within' in keys) plans.push(await planOf(keys.within({ above: 0, upTo: 1_000 })))
        else if ('sql' in keys) plans.push(await planOf(keys))
      }
    }
    expect(plans).toEqual([expect.stringMatching(index)])
  })

  test('the absence of findings from a ref is tested by id', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => index + 1)
    const rows = {
      filter: { notOnRef: 'other' },
      projectIds: [1],
      counts: [],
      order: { id: 'desc' },
      today: '',
    } as const
    const plan = await planIn(async (db) => unindexedFilters(db, rows)?.listMatching(ids))
    expect(plan).toMatch(
      isSqlite()
        ? /SEARCH a (?:EXISTS )?USING INDEX sqlite_autoindex_occurrences_1 \(finding_id=\? AND ref=\?\)/
        : /using occurrences_finding_id_ref_key on occurrences a/,
    )
  })

  test('a row is tested by its own identifiers, not by those of all projects', async () => {
    const rows = {
      filter: { identifiers: ['CWE-79'] },
      projectIds: Array.from({ length: 1_000 }, (_, index) => index + 1),
      counts: [],
      order: { id: 'desc' },
      today: '',
    } as const
    const plan = await planIn(async (db) => unindexedFilters(db, rows)?.listMatching([1, 2, 3]))
    expect(plan).toMatch(
      isSqlite() ? /SEARCH i USING INTEGER PRIMARY KEY \(rowid=\?\)/ : /using identifiers_pkey on identifiers i/,
    )
    expect(plan).not.toMatch(/identifiers_by_name|identifiers_by_external_id/)
  })

  test('the first occurrence of a finding is looked up by its id', async () => {
    const plan = await planIn((db) => insertCreated(db, [1, 2, 3], 1, '2026-01-01T00:00:00.000Z'))
    expect(plan).toMatch(
      isSqlite()
        ? /SEARCH first USING (?:COVERING )?INDEX sqlite_autoindex_occurrences_1 \(finding_id=\?\)/
        : /on occurrences first[\s\S]*Cond: \(finding_id = f\.id\)/,
    )
    expect(plan).not.toMatch(/using occurrences_pkey on occurrences first/)
  })

  test('the index ranges of a page are merged and not sorted', async () => {
    const common = { projectId: 1, isOnDefaultBranch: true, severity: 'medium' } as const
    const facets = { ...common, reportType: 'sast', isResolvedOnDefaultBranch: false, dismissalReason: null } as const
    const ranges = (['detected', 'confirmed', 'resolved'] as const).map((state) => ({
      ...common,
      facets: { ...facets, state, scannerId: 1000 },
    }))
    const plan = await planIn((db) =>
      listFromRanges(db, [ranges], { id: 'desc' }, { after: undefined, offset: 40, limit: 21 }),
    )
    expect(plan).toMatch(isSqlite() ? /MERGE \(UNION ALL\)/ : /Merge Append/)
    expect(plan).not.toMatch(isSqlite() ? /TEMP B-TREE/ : /Sort {2}\(/)
  })

  test.each([7, null])('the rows of assignee %s are read from their index in order', async (assigneeId) => {
    const ranges = (['medium', 'high'] as const).map((severity) => ({
      ...{ projectId: 1, isOnDefaultBranch: true, severity, assigneeId },
    }))
    const request = { after: { severity: 0, id: 500 }, offset: 0, limit: 21 }
    const plan = await planIn((db) => listFromRanges(db, [ranges], { id: 'desc' }, request))
    expect(plan).toMatch(
      isSqlite()
        ? /SEARCH vulnerabilities USING COVERING INDEX vulnerabilities_by_assignee \(<expr>=\? AND project_id=\? AND is_on_default_branch=\? AND severity=\? AND id/
        : /Scan (?:Backward )?using vulnerabilities_by_assignee/,
    )
    expect(plan).not.toMatch(isSqlite() ? /TEMP B-TREE/ : /Sort {2}\(/)
  })

  test('the newest scan of each category of a finding is found in one index step', async () => {
    const sighting = { projectId: 1, ref: 'main', importId: 1, categoryId: 3, now: '2026-01-01T00:00:00.000Z' }
    const plans = [
      await planIn((db) => listOccurrences(db, 1, { page: 1, perPage: 20, offset: 0 })),
      await planIn((db) => markAbsent(db, sighting, [1, 2, 3])),
      await planIn((db) => removeFromCategory(db, sighting, [1, 2, 3])),
      await planIn((db) =>
        listMissedBy(db, { scannerId: 1, reportType: 'sast' }, { ref: 'main', categoryId: 3 }, [1, 2, 3]),
      ),
    ]
    for (const plan of plans) {
      expect(plan).toMatch(
        isSqlite()
          ? /SEARCH s USING (?:COVERING )?INDEX scans_newest_of_category \(scanner_id=\? AND report_type=\? AND ref=\? AND <expr>=\? AND is_complete=\?(?: AND import_id>\?)?\)/
          : /Index (?:Only )?Scan Backward using scans_newest_of_category[\s\S]*Cond: \(\(scanner_id = .*COALESCE\(category_id.*is_complete = true/,
      )
    }
    for (const plan of plans.slice(1)) expect(plan).not.toMatch(/SCAN (?:o|f)\b|Seq Scan/)
  })

  test('the categories of findings are looked up by occurrence', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => index + 1)
    const plan = await planIn((db) => loadCategories(db, { id: 3 }, ['main', 'feature'], ids))
    expect(plan).not.toMatch(isSqlite() ? /SCAN [oc]\b/ : /Seq Scan on occurrence/)
    expect(plan).toMatch(
      isSqlite()
        ? /SEARCH c USING COVERING INDEX sqlite_autoindex_occurrence_categories_1 \(occurrence_id=\?\)/
        : /Scan (?:using|on) occurrence_categories_pkey/,
    )
  })

  test('findings of a report are looked up by uuid', async () => {
    const uuids = Array.from({ length: 100 }, (_, index) => `00000000-0000-5000-8000-${`${index}`.padStart(12, '0')}`)
    const place = { projectId: 1, ref: 'main', defaultBranch: 'main', category: undefined }
    const plans = await plansIn((db) => findKnownFindings(db, place, uuids))
    expect(plans).toHaveLength(2)
    for (const plan of plans) {
      expect(plan).toMatch(
        isSqlite()
          ? /SEARCH k USING COVERING INDEX sqlite_autoindex_finding\w+ \(project_id=\? AND uuid=\?\)/
          : /Index Cond: \(\(project_id = .* AND \(uuid = l\.value\)/,
      )
      // An occurrence is named by its finding; its ref alone names as many as there are findings.
      expect(plan).not.toMatch(
        isSqlite() ? /SEARCH [osd] USING .*\((?!finding_id)/ : /Filter: \(ref = |Seq Scan on occ/,
      )
    }
  })

  test('digests are read by a range of uuids in their project', async () => {
    const plan = await planIn((db) => listDigests(db, 1, { from: '00', before: '01', limit: 1000 }))
    expect(plan).toMatch(
      isSqlite()
        ? /SEARCH f USING INDEX sqlite_autoindex_findings_\d \(project_id=\? AND uuid>\? AND uuid<\?\)/
        : /findings_project_id_uuid_key[\s\S]*Index Cond: \(\(project_id = .* AND \(uuid >= .* AND \(uuid < /,
    )
    expect(plan).not.toMatch(isSqlite() ? /TEMP B-TREE|SCAN/ : /Seq Scan/)
  })

  test.each([1, 100, 1000])('%i keys of an import are looked up one after the other', async (count) => {
    const place = { projectId: 1, ref: 'main', defaultBranch: 'main', category: undefined, artifact: undefined }
    const keys = Array.from({ length: count }, (_, index) => `${index}`)
    const row = columnValues({ uuid: 'uuid', scanner: 'semgrep', primary_identifier: 'CWE-79' }, contentColumns)
    const works: Record<string, (db: Db) => Promise<unknown>> = {
      keys: (db) => listByKeys(db, place, keys),
      uuids: (db) => listByUuids(db, place, keys),
      matches: (db) => deleteMatches(db, 1, keys),
      staged: (db) => listStaged(db, 1, keys),
      identifiers: (db) =>
        upsertIdentifiers(
          db,
          1,
          keys.map((fingerprint) => ({
            fingerprint,
            externalType: 'cve',
            externalId: 'CVE-1',
            name: 'CVE',
            url: undefined,
          })),
        ),
      drafts: (db) =>
        createFindings(
          db,
          { projectId: 1, importId: 1, now: '2026-01-01T00:00:00.000Z' },
          keys.map((uuid) => ({ uuid, row, identifierIds: [], keys: [] })),
        ),
    }
    for (const [name, work] of Object.entries(works)) {
      for (const plan of await plansIn(work)) {
        // Every table is read by all columns of a unique index, or by an id.
        expect(plan, name).not.toMatch(
          isSqlite()
            ? /SCAN (?:finding|identifiers|staged|occurrences|[fikmosd]\b)|\((?:project|import)_id=\?\)/
            : /Seq Scan on (?:finding|identifiers|staged|occurrences)|Index Cond: \((?:project|import)_id = [^)]*\)(?:\n|$)/,
        )
      }
    }
  })
})

test('findings of a scanner are read in batches by index in each table', async () => {
  if (!isSqlite()) await db.run(sql`analyze`)
  const [{ scannerId } = { scannerId: 0 }] = await db.all<{ scannerId: number }>(
    sql`select scanner_id from findings limit 1`,
  )
  const plan = await planIn((db) =>
    listOfScanner(
      db,
      { scannerId, reportType: 'sast' },
      { ref: 'main', category: undefined },
      { after: 6000, limit: 2000 },
    ),
  )
  expect(plan).toMatch(
    isSqlite()
      ? /SEARCH o USING INDEX sqlite_autoindex_occurrences_1 \(finding_id=\? AND ref=\?\)/
      : /Index (?:Only )?Scan using occurrences_finding_id_ref_key on occurrences o[\s\S]*Cond: \(\(finding_id (?:> |= f\.id)/,
  )
})
