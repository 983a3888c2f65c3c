import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startModel } from '../../../testing/models/project-model.ts'
import { readFrom } from '../../../testing/reading.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { lineOf } from '../../findings/finding-key.ts'
import type { Candidate, KnownFinding } from '../../findings/known-finding.ts'
import type { Report, ReportFinding } from '../formats/report.ts'
import { pairByFormerUuid } from './by-former-uuid.ts'
import { keysIn, pairByKey, ranksIn } from './by-key.ts'
import { completeScanners, pairByLine } from './by-line.ts'
import { compareByUuid, pairByUuid } from './by-uuid.ts'
import type { Decision } from './decision.ts'
import { observedIds } from './decision-list.ts'
import { matchingKeys } from './finding-keys.ts'
import { groupDecisions } from './grouped-decisions.ts'
import type { ImportPlace } from './import-place.ts'
import { importedFrom } from './imported-finding.ts'
import { acceptPairs, decideOpen, type Matching, repeatMatches } from './matching.ts'
import { decideMissing, selectMissing } from './missing.ts'
import { mayBeKnown, reportedFrom } from './reported-finding.ts'

const projectId = 42
const scannerId = 1
const place: ImportPlace = {
  projectId,
  ref: 'main',
  defaultBranch: 'main',
  category: undefined,
  artifact: undefined,
  importId: 2,
  now: '2026-01-01T00:00:00.000Z',
}
const imported = (finding: ReportFinding) => importedFrom(finding)

/** A finding of the first report, as the database would return it, with its keys. */
function stored(finding: ReportFinding, index: number) {
  const { uuid, digest, reportType, location, identifiers } = imported(finding)
  const state = { vulnerabilityId: null, wasPresent: true, categories: [], wasOnDefaultBranch: true }
  const known: KnownFinding = { id: index + 1, uuid, digest, isOwnUuid: true, wasSeen: true, ...state }
  const line = lineOf(location)
  const candidate: Candidate = { id: index + 1, uuid, digest, artifact: null, reportType, scannerId, line, ...state }
  const keys = matchingKeys(imported(finding), false)
  return { known, candidate, keys, identifier: identifiers[0].fingerprint, file: String(location['file']) }
}

/** Compares the second report of a project with its first one, without a database. */
function compare(first: Report, second: Report): Decision[] {
  const project = first.findings.map(stored)
  const byUuid = new Map(project.map(({ known }) => [known.uuid, known]))
  const results = pairByUuid(second.findings.map(imported), byUuid, new Map(), new Map()).map((pair) =>
    compareByUuid(place, pair),
  )
  const read = results.flatMap((result) => (result.kind === 'known' ? result.decision : []))
  const open = results.flatMap(({ kind, finding }, index) => {
    if (kind !== 'unknown') return []
    return reportedFrom(finding, {
      id: 1000 + index,
      scannerId,
      hasPast: project.length > 0,
      knownProjectId: projectId,
      hasImported: false,
    })
  })
  const observed = observedIds(read)
  let matching: Matching = repeatMatches(place, { observed, open: open.filter(mayBeKnown) }, [])
  const candidates = project.map(({ candidate }) => candidate)
  matching = acceptPairs(place, matching, pairByFormerUuid(matching.open, candidates))
  for (const rank of ranksIn(matching)) {
    const wanted = new Set(keysIn(matching, rank))
    const withKey = project.flatMap(({ candidate, keys }) =>
      keys.flatMap(({ key }) => (wanted.has(key) ? { ...candidate, key } : [])),
    )
    matching = acceptPairs(place, matching, pairByKey(place, matching, rank, withKey))
  }
  const scanners = completeScanners(new Map([['test-scanner', scannerId]]), [])
  const bare = project
    .filter(({ keys }) => keys.length === 0)
    .map(({ candidate, ...rest }) => ({ ...rest, ...candidate }))
  matching = acceptPairs(place, matching, pairByLine(place, matching, scanners, bare))
  const others = open.filter((reported) => !mayBeKnown(reported))
  const fresh = [
    ...decideOpen(matching, new Set(), () => true),
    ...decideOpen({ ...matching, open: others }, new Set(), () => true),
  ]
  const compared = [...read, ...matching.decisions, ...fresh]
  const states = project.map(({ known }) => ({ id: known.id, isPresent: true, categories: [] }))
  const { absent } = selectMissing(states, undefined, observedIds(compared))
  const missing = absent.map((findingId) => ({ kind: 'absent' as const, findingId }))
  return [...compared, ...decideMissing(missing, { gaps: [], artifact: undefined }, new Map())]
}

const fields = {
  rule: fc.constantFrom('one', 'two'),
  file: fc.constantFrom('a.ts', 'b.ts'),
  line: fc.integer({ min: 1, max: 9 }),
  name: fc.constantFrom('Flaw', 'Other flaw'),
  code: fc.constantFrom('x()', 'const secret = readSecret()', 'await send(secret, address)'),
  method: fc.constantFrom('run', 'stop'),
}
const requiredKeys = ['rule', 'file', 'line', 'name'] as const
const unsigned = fc.array(fc.record(fields, { requiredKeys: [...requiredKeys] }), { maxLength: 8 })
const signed = fc.array(
  fc.record(
    { ...fields, signature: fc.constantFrom('s1', 's2', 's3') },
    { requiredKeys: [...requiredKeys, 'signature'] },
  ),
  { maxLength: 8 },
)
/** Two reports of one scanner, which computes signatures always, never, or since the second one. */
const pairs = fc.oneof(fc.tuple(unsigned, unsigned), fc.tuple(unsigned, signed), fc.tuple(signed, signed))

test('comparing any two reports gives the result of the independent model', async () => {
  await fc.assert(
    fc.asyncProperty(pairs, async ([before, after]) => {
      const [first, second] = await Promise.all([
        readFrom(sastReport(before.map(entry))),
        readFrom(sastReport(after.map(entry))),
      ])
      const model = startModel(projectId)
      model.add(first, 'main', false)
      const known = model.flaws.map(({ uuid }) => uuid)
      const expected = model.add(second, 'main', false)

      const decisions = groupDecisions(compare(first, second))
      expect({
        new: decisions.new.length,
        known: decisions.observed.length,
        gone: decisions.absent.length,
        changed: decisions.changed.length,
        moved: decisions.moved.length,
      }).toEqual({
        new: expected.new,
        known: expected.known,
        gone: expected.gone,
        changed: expected.changed,
        moved: expected.moved,
      })
      const reasons = new Map(decisions.moved.map(({ findingId, reason }) => [findingId, reason]))
      expect(known.map((_, index) => reasons.get(index + 1))).toEqual(
        known.map((_, index) => model.flaws[index]?.matches[0]?.reason),
      )
    }),
    { numRuns: 100 },
  )
})
