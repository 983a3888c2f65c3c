import { expect, test } from 'vitest'
import { sampleOf, samples } from './code.ts'
import { projects } from './names.ts'
import { reportsOf } from './reports.ts'

const all = Object.entries(samples).flatMap(([extension, codes]) =>
  Object.keys(codes).map((cwe) => [extension, Number(cwe)] as const),
)

test.each(all)('the sample in %s of CWE-%i has a source before its flaw, and a fix that changes the flaw', (...key) => {
  const sample = sampleOf(...key)
  if (!sample) throw new Error('the sample is missing')
  const { lines, source, sink, fix } = sample
  expect(source).toBeGreaterThanOrEqual(0)
  expect(sink).toBeGreaterThan(source)
  expect(fix.trim()).not.toBe('')
  expect(fix).not.toBe(lines[sink])
  // The code around a flaw stays readable beside its line numbers.
  expect(lines.length).toBeGreaterThan(6)
  expect(lines.length).toBeLessThan(14)
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(110)
})

test('the code scanner of the demo writes SARIF in which the first step of a flow is its source', () => {
  const [storefront] = projects
  const source = storefront && reportsOf(storefront).find(({ fileName }) => fileName === 'codewatch.sarif')
  const log = source?.reportOf(0, '2026-01-01T00:00:00') as Log | undefined // written by `sarifLog`
  const results = log?.runs[0].results ?? []
  const withCode = results.filter(({ codeFlows }) => codeFlows)
  expect(withCode.length).toBeGreaterThan(10)
  for (const { locations, codeFlows, fixes } of withCode) {
    const { region, contextRegion } = locations[0].physicalLocation
    const [first, last] = codeFlows?.[0].threadFlows[0].locations ?? []
    expect(last?.location.physicalLocation.region.startLine).toBe(region.startLine)
    expect(first?.location.physicalLocation.region.startLine).toBeLessThan(region.startLine)
    expect(contextRegion.startLine).toBeLessThan(region.startLine)
    expect(contextRegion.endLine).toBeGreaterThan(region.startLine)
    expect(fixes[0].artifactChanges).toHaveLength(1)
  }
})

interface Place {
  physicalLocation: { region: { startLine: number }; contextRegion: { startLine: number; endLine: number } }
}

interface Log {
  runs: [{ results: Result[] }]
}

interface Result {
  locations: [Place]
  codeFlows?: [{ threadFlows: [{ locations: { location: Place }[] }] }]
  fixes: [{ artifactChanges: unknown[] }]
}
