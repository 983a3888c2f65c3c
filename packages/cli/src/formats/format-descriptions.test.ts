import { existsSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { annotationProblems, junitProblems } from '../testing/format-descriptions.ts'
import { listedFinding, uploadResult } from '../testing/results.ts'
import { parseXml } from '../testing/xml.ts'
import type { UploadResult } from '../upload/upload-result.ts'
import { writeResult } from './formats.ts'

const finding = listedFinding()
const elsewhere = listedFinding({ uuid: 'u2', location: { image: 'shop/api:1' }, identifiers: [] })
const rejected = [{ file: 'broken.json', message: 'This is no report: <a> & "b"' }]
const results: [name: string, result: UploadResult][] = [
  ['with findings', uploadResult({ new: [finding], known: [elsewhere], fixed: [finding] })],
  ['without findings', uploadResult()],
  ['with samples only', uploadResult({ new: [finding], isComplete: false })],
  ['with a rejected report', uploadResult({ new: [finding] }, { rejected })],
]
const write = (format: 'junit' | 'sarif' | 'annotations', result: UploadResult) =>
  writeResult(format, result, { isColoured: false })

describe.each(results)('a result %s', (_, result) => {
  test('is JUnit XML with known elements, attributes and counts only', () => {
    expect(junitProblems(parseXml(write('junit', result)))).toEqual([])
  })

  test('has workflow commands with known properties only', () => {
    expect(annotationProblems(write('annotations', result))).toEqual([])
  })

  // The schema of OASIS belongs to others, so it is not in the repository.
  const schema = new URL('../../../../../shared/data/schemas/sarif/sarif-schema-2.1.0-errata01.json', import.meta.url)
  test.skipIf(!existsSync(schema))('is valid against the schema of SARIF', () => {
    const { $schema: _, id, ...rules } = JSON.parse(readFileSync(schema, 'utf8'))
    const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile({ ...rules, $id: id })
    validate(JSON.parse(write('sarif', result)))
    expect(validate.errors ?? []).toEqual([])
  })
})

test.each([
  ['<testsuites><testsuite name="a" tests="1"/></testsuites>', 'testsuite: tests is 1, not 0'],
  ['<testsuites><testsuite tests="0" colour="red"/></testsuites>', 'testsuite: unknown attribute colour'],
  ['<testsuites><testsuite name="a"><testcase name="b"/></testsuite></testsuites>', 'testcase: classname is missing'],
  ['<testsuites><testcase name="a" classname="b"/></testsuites>', 'testsuites: unknown element testcase'],
])('the description of JUnit XML rejects %s', (xml, problem) => {
  expect(junitProblems(parseXml(xml))).toContain(problem)
})

test.each([
  '::error line=0::x',
  '::error colour=red::x',
  '::fatal::x',
  '::error endLine=3::x',
  '::error file=a,line=4,endLine=3::x',
  'text',
])('the description of workflow commands rejects %s', (line) => {
  expect(annotationProblems(line)).toHaveLength(1)
})
