import type { Schemas } from '@alcove/client'
import { type ListedFinding, type Severity, severities } from '../findings.ts'
import type { Comparison } from '../gate/comparison.ts'

type SeverityCounts = Schemas['RefComparisonCounts']

import type { UploadResult } from '../upload/upload-result.ts'

/** Creates a comparison from the counts that are not zero. */
export function comparison({
  ref,
  dismissed = 0,
  ...counts
}: { ref: string | null; dismissed?: number } & Partial<Record<Severity, Partial<SeverityCounts>>>): Comparison {
  const rows = severities.map((severity) => [severity, { new: 0, fixed: 0, known: 0, ...counts[severity] }] as const)
  const sum = (kind: keyof SeverityCounts) => rows.reduce((total, [, row]) => total + row[kind], 0)
  return {
    ref,
    new: sum('new'),
    fixed: sum('fixed'),
    known: sum('known'),
    dismissed,
    by_severity: Object.fromEntries(rows) as Record<Severity, SeverityCounts>, // a row for each severity
    samples: { new: [], fixed: [] },
  }
}

/** Creates a finding in a file. */
export function listedFinding(fields: Partial<ListedFinding> = {}): ListedFinding {
  return {
    uuid: '7a1d8c64-4c44-5d0b-9c54-0a4b1f7f2f10',
    name: 'SQL injection',
    severity: 'high',
    report_type: 'sast',
    location: { file: 'src/db.ts', start_line: 14, end_line: 16 },
    web_url: 'https://alcove.example.com/shop/api/-/security/vulnerabilities/7',
    identifiers: [{ external_type: 'cwe', external_id: '89', name: 'CWE-89', url: 'https://cwe.example.org/89' }],
    ...fields,
  }
}

/** Creates the result of an upload to shop/api, compared with main. */
export function uploadResult(
  lists: Partial<UploadResult['lists']> = {},
  fields: Partial<UploadResult> = {},
): UploadResult {
  const complete = { new: [], known: [], fixed: [], isComplete: true, ...lists }
  const counts = (['new', 'known', 'fixed'] as const).flatMap((kind) =>
    complete[kind].map((row) => [kind, row.severity]),
  )
  const rows = severities.map((severity) => {
    const count = (kind: string) => counts.filter((one) => one[0] === kind && one[1] === severity).length
    return [severity, { new: count('new'), known: count('known'), fixed: count('fixed') }]
  })
  return {
    url: 'https://alcove.example.com',
    project: 'shop/api',
    isProjectCreated: false,
    ref: 'feature/login',
    commit: 'a1b2c3d4e5f6a7b8',
    ci: undefined,
    isDryRun: false,
    reports: [{ file: 'semgrep.json', import: doneImport() }],
    rejected: [],
    comparison: comparison({ ref: 'main', ...Object.fromEntries(rows) }),
    lists: complete,
    gate: undefined,
    ...fields,
  }
}

function doneImport(): Schemas['ComparedImport'] {
  const findings = {
    read: 3,
    new: 2,
    known: 1,
    returned: 0,
    gone: 0,
    changed: 0,
    moved: 0,
    merged: 0,
    skipped: 0,
    promoted: 0,
  }
  const done: Partial<Schemas['ComparedImport']> = {
    id: 7,
    status: 'done',
    ref: 'feature/login',
    scanner: 'Semgrep',
    report_type: 'sast',
    findings,
    warnings: [],
    skipped: [],
    errors: [],
    project_files: [],
  }
  return done as Schemas['ComparedImport'] // the fields that the formats read
}
