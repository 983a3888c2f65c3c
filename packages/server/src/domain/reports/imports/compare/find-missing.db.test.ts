import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import type { Db } from '../../../../db/db.ts'
import { insertMadeUp, type MadeUp, usual } from '../../../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../../../testing/server.ts'
import { listScannerIds } from '../../../findings/findings.ts'
import { groupDecisions } from '../../comparison/grouped-decisions.ts'
import { findMissing } from './find-missing.ts'

test('every missing finding is found once, even when severities change during the search', async () => {
  const server = await startServer()
  const { id: projectId } = await server.project('acme/site')
  const { db } = server.deps
  const severities = ['critical', 'low', 'info', 'high'] as const
  const of = (index: number, fields: Partial<MadeUp> = {}): MadeUp => ({
    ...usual,
    id: index,
    projectId,
    severity: severities[index % 4] ?? 'low',
    ...fields,
  })
  const ids = Array.from({ length: 4100 }, (_, index) => index + 1)
  const others = [
    of(5001, { refs: ['feature'] }),
    of(5002, { refs: [] }),
    of(5003, { reportType: 'secret_detection' }),
    of(5004, { scanner: 'gitleaks' }),
    of(5005, { refs: ['feature'], isOnDefaultBranch: false }),
    of(5006, { refs: [], isResolvedOnDefaultBranch: true }),
  ]
  await insertMadeUp(db, [...ids.map((id) => of(id)), ...others], server.deps.now())
  const [[name, scannerId] = ['', 0]] = await listScannerIds(db, projectId, ['semgrep'])
  let batches = 0
  const changing: Db = Object.create(db, {
    all: {
      value: async (query: Parameters<Db['all']>[0]) => {
        const rows = await db.all(query)
        // The worst become the least, and the other way round.
        await db.run(sql`update findings set severity = 8 - severity where project_id = ${projectId}`)
        batches++
        return rows
      },
    },
  })
  const place = {
    projectId,
    ref: 'main',
    defaultBranch: 'main',
    category: undefined,
    artifact: undefined,
    importId: undefined,
    now: server.deps.now(),
  }
  const reported = ids.filter((id) => id % 5 === 0)
  const coverage = {
    scanners: { ids: new Map([[name, scannerId]]), withPast: new Set([scannerId]) },
    reportTypes: ['sast'],
    gaps: [],
    observed: new Set(reported),
  }
  const { decisions } = await findMissing({ ...server.deps, db: changing }, place, coverage)
  // The last two are nowhere on the branch, though vulnerabilities say so.
  const { absent, removedFromCategory } = groupDecisions(decisions)
  expect(absent).toEqual([...ids.filter((id) => id % 5 !== 0), 5001, 5002])
  expect(removedFromCategory).toEqual([])
  expect(batches).toBeGreaterThan(2)
})
