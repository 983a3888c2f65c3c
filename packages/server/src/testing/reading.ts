import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { JsonObject, Report } from '../domain/reports/formats/report.ts'
import { type ReadOptions, readWholeReport } from '../domain/reports/reader/read-report.ts'
import type { ReportProblem } from '../platform/failure.ts'

type Fixture = JsonObject & { scan?: JsonObject; vulnerabilities: JsonObject[] }

/** Loads a valid GitLab report. */
export const fixture = (name: string): Fixture =>
  JSON.parse(readFileSync(new URL(`../domain/reports/formats/gitlab/fixtures/${name}.json`, import.meta.url), 'utf8'))

export const open = (report: unknown) => async () =>
  openBytes(typeof report === 'string' ? report : JSON.stringify(report))

async function* openBytes(text: string) {
  yield Buffer.from(text)
}

/** Reads a report. Throws its problems. */
export async function readFrom(report: unknown, options: Partial<ReadOptions> = {}): Promise<Report> {
  const read = await readWholeReport(open(report), { projectId: 42, ...options })
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  return read.report
}

/** Returns the problems for which strict validation rejects the report. */
export async function problemsOf(report: unknown, options: Partial<ReadOptions> = {}): Promise<ReportProblem[]> {
  const read = await readWholeReport(open(report), { projectId: 42, strict: true, ...options })
  return 'problems' in read ? read.problems : []
}

export const messagesOf = async (report: unknown, options: Partial<ReadOptions> = {}) =>
  (await problemsOf(report, options)).map(({ message }) => message)

/** Returns a fixture whose first vulnerability has these changes. */
export function withFirst(name: string, changes: JsonObject): Fixture {
  const report = fixture(name)
  Object.assign(report.vulnerabilities[0] ?? {}, changes)
  return report
}

export const first = (report: Report) => report.findings[0] ?? expect.fail('no finding')
