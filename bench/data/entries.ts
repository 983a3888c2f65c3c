import { sentence } from './words.ts'

const words = ['Critical', 'High', 'Medium', 'Medium', 'Medium', 'Low', 'Low', 'Low', 'Info', 'Unknown']
const rules = 120

/** Returns the severity of a generated finding, in the words of reports. */
export const severityWord = (number: number): string => words[scatter(number) % words.length] ?? 'Unknown'

/** Returns an entry of a SAST report of about 1 KB. The number determines rule and place. */
export function reportEntry(number: number) {
  const rule = scatter(number) % rules
  const file = `src/main/java/org/example/module${number % 97}/Handler${number % 1009}.java`
  const line = 1 + Math.floor(number / 7)
  return {
    id: scatter(number).toString(16).padStart(8, '0').repeat(8),
    category: 'sast',
    name: `Improper neutralisation of special elements in rule ${rule}`,
    message: `Rule ${rule} matched in Handler${number % 1009}`,
    description: `${sentence(number, 18)} ${sentence(rule, 14)}`,
    cve: `${file}:${line}:rule-${rule}`,
    severity: severityWord(number),
    solution: 'Use a prepared statement and validate the input before it is used.',
    scanner: { id: scanner.id, name: scanner.name },
    location: {
      file,
      start_line: line,
      end_line: line + 2,
      class: `org.example.Handler${number % 1009}`,
      method: 'handle',
    },
    identifiers: [
      {
        type: 'bench_id',
        name: `bench.rule-${rule}`,
        value: `rule-${rule}`,
        url: `https://rules.example.test/${rule}`,
      },
      {
        type: 'cwe',
        name: `CWE-${20 + (rule % 40)}`,
        value: `${20 + (rule % 40)}`,
        url: `https://cwe.mitre.org/data/definitions/${20 + (rule % 40)}.html`,
      },
      { type: 'owasp', name: 'A03:2021 - Injection', value: 'A03:2021' },
    ],
    links: [{ url: `https://docs.example.test/rules/${rule}` }],
  }
}

export const scanner = { id: 'bench-scanner', name: 'Bench scanner', version: '1.4.2', vendor: { name: 'Acme' } }

/** The scan section of a report. */
export const reportHead = {
  version: '15.2.1',
  scan: {
    analyzer: scanner,
    scanner,
    type: 'sast',
    status: 'success',
    start_time: '2026-01-31T08:15:30',
    end_time: '2026-01-31T08:16:30',
  },
}

/** Returns a deterministic hash of a number (Knuth's multiplicative hash). */
export function scatter(number: number): number {
  return Math.imul(number + 1, 2_654_435_761) >>> 0
}
