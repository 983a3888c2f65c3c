import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bomCheck } from '../formats/cyclonedx/check.ts'
import { type Check, findProblems } from '../formats/problems/checks.ts'
import { logCheck } from '../formats/sarif/check.ts'

// The published schemas are not part of this project; where a copy lies beside it, ours must not be stricter.
const schemas = new URL('../../../../../../../shared/data/schemas/', import.meta.url)
const readJson = (url: URL) => JSON.parse(readFileSync(url, 'utf8'))

type Validate = (value: unknown) => boolean
interface Validator {
  addSchema: (schema: unknown) => void
  compile: (schema: unknown) => Validate
}

const ajvName = 'ajv'
const ajv: Validator | undefined = await import(ajvName).then(
  ({ Ajv }) => new Ajv({ strict: false, validateFormats: false, logger: false }),
  () => undefined,
)
const isHere = ajv !== undefined && existsSync(schemas)

function compile(file: string, ...others: string[]): Validate {
  if (!ajv) throw new Error('there is no validator')
  // They refer to each other by file name.
  const named = (name: string) => ({ ...readJson(new URL(name, schemas)), $id: `http://local/${basename(name)}` })
  for (const other of others) ajv.addSchema(named(other))
  // One is of an older draft than the validator's, of which nothing else is used that differs.
  const { id: _, ...schema } = named(file)
  return ajv.compile({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' })
}

const oddValues: unknown[] = [null, true, 0, 1, -1, -2, 1.5, '', 'x', 'fail', 'error', 'high', [], {}, ['x'], [{}], [1]]

function placesOf(root: unknown): { holder: Record<string, unknown>; key: string }[] {
  if (typeof root !== 'object' || root === null) return []
  const holder = root as Record<string, unknown> // of a list, by index
  return Object.entries(root).flatMap(([key, inner]) => [{ holder, key }, ...placesOf(inner)])
}

/** Any one field of a report replaced by any odd value, or left out. */
function compare(report: unknown, check: Check, accepts: Validate): { both: number; ours: string[] } {
  const found = { both: 0, ours: [] as string[] }
  const judge = () => {
    const problems = findProblems(check, report)
    if (problems.length === 0) return
    if (accepts(report)) found.ours.push(problems[0]?.message ?? '')
    else found.both++
  }
  for (const { holder, key } of placesOf(report)) {
    const original = holder[key]
    for (const odd of oddValues) {
      holder[key] = odd
      judge()
    }
    if (!Array.isArray(holder)) {
      delete holder[key]
      judge()
    }
    holder[key] = original
  }
  return found
}

describe.skipIf(!isHere)('our rules accept everything that the published schema accepts', () => {
  test('of SARIF', { timeout: 60_000 }, () => {
    const accepts = compile('sarif/sarif-schema-2.1.0-errata01.json')
    for (const name of ['code', 'image']) {
      const text = readFileSync(new URL(`../formats/sarif/fixtures/${name}.sarif`, import.meta.url), 'utf8')
      const report = JSON.parse(text.replace('"startLine": 0', '"startLine": 1'))
      expect(accepts(report)).toBe(true)
      expect(findProblems(logCheck, report)).toEqual([])
      const { both, ours } = compare(report, logCheck, accepts)
      // A log of no runs at all may be written as null; there is nothing in it that a project could be told of.
      expect(ours).toEqual(["property '/runs' is not of type: array"])
      expect(both).toBeGreaterThan(100)
    }
  })

  test('of CycloneDX', { timeout: 60_000 }, () => {
    const accepts = compile(
      'cyclonedx/bom-1.6.SNAPSHOT.schema.json',
      'cyclonedx/spdx.SNAPSHOT.schema.json',
      'cyclonedx/jsf-0.82.SNAPSHOT.schema.json',
      'cyclonedx/cryptography-defs.SNAPSHOT.schema.json',
    )
    const bom = readJson(new URL('../formats/cyclonedx/fixtures/bom-1.6.json', import.meta.url))
    expect(accepts(bom)).toBe(true)
    const { both, ours } = compare(bom, bomCheck, accepts)
    expect(ours).toEqual([])
    expect(both).toBeGreaterThan(100)
  })
})
