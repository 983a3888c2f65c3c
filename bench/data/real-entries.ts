import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { reportEntry, reportHead } from './entries.ts'

interface Entry {
  id?: string
  location?: { start_line?: number; end_line?: number }
}

/** Real scanner reports, which may exist beside the project. */
const folder = fileURLToPath(new URL('../../../shared/data/reports/gitlab/sast', import.meta.url))

/**
 * Returns a report with this number of findings, built from real reports whose findings are repeated at other lines, or
 * from generated findings if there are no real reports.
 */
export function realReport(entries: number): { text: string; isReal: boolean } {
  const real = existsSync(folder)
    ? withoutRepeatedIds(readdirSync(folder).flatMap((name) => entriesOf(`${folder}/${name}`)))
    : []
  if (real.length === 0)
    return { text: reportOf(Array.from({ length: entries }, (_, n) => reportEntry(n))), isReal: false }
  const all = Array.from({ length: entries }, (_, number) => {
    const entry = real[number % real.length] ?? {}
    const round = Math.floor(number / real.length)
    const line = (entry.location?.start_line ?? 1) + 1000 * round
    return {
      ...entry,
      id: `${entry.id}-${round}`,
      location: { ...entry.location, start_line: line, end_line: line + 2 },
      // With the same signature, all repetitions would be one finding.
      tracking: undefined,
    }
  })
  return { text: reportOf(all), isReal: true }
}

/** Several reports contain the same finding. */
const withoutRepeatedIds = (entries: readonly Entry[]): Entry[] => [
  ...new Map(entries.map((entry) => [entry.id, entry])).values(),
]

const reportOf = (vulnerabilities: object[]): string => JSON.stringify({ ...reportHead, vulnerabilities })

/** Returns only entries of the report version used in the header. */
function entriesOf(file: string): Entry[] {
  try {
    const { version, vulnerabilities } = JSON.parse(readFileSync(file, 'utf8'))
    return /^15\./.test(version) && Array.isArray(vulnerabilities) ? vulnerabilities.filter(isComplete) : []
  } catch {
    return []
  }
}

const isComplete = ({ id, identifiers, location }: Record<string, unknown>): boolean =>
  typeof id === 'string' && Array.isArray(identifiers) && identifiers.length > 0 && typeof location === 'object'
