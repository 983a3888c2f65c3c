export interface EntryFields {
  name?: string
  severity?: string
  line?: number
  file?: string
  rule?: string
  /** The code of the finding. */
  code?: string
  method?: string
  signature?: string
  /** Additional identifiers after the first one. */
  others?: { type: string; name: string; value: string }[]
}

/** Returns a finding of a SAST report, identified by its rule and location. */
export function entry({
  name = 'Flaw',
  severity = 'Medium',
  line = 1,
  file = 'src/app.ts',
  rule = 'flaw',
  code,
  method,
  signature,
  others = [],
}: EntryFields = {}) {
  const item = { file, start_line: line, end_line: line, signatures: [{ algorithm: 'scope_offset', value: signature }] }
  return {
    id: `${rule}-${file}-${line}`,
    name,
    description: `${name} at line ${line}`,
    severity,
    location: { file, start_line: line, end_line: line, ...(method && { method }) },
    identifiers: [{ type: 'test_rule', name: `Rule ${rule}`, value: rule }, ...others],
    ...(code !== undefined && { raw_source_code_extract: code }),
    ...(signature !== undefined && { tracking: { type: 'source', items: [item] } }),
  }
}

/** Returns a valid report of GitLab's schema 15.2.1. */
export function sastReport(vulnerabilities: object[], scanner = 'test-scanner', type = 'sast') {
  const tool = { id: scanner, name: 'Test scanner', version: '1.0.0', vendor: { name: 'Acme' } }
  return {
    version: '15.2.1',
    scan: {
      analyzer: { ...tool },
      scanner: { ...tool },
      type,
      status: 'success',
      start_time: '2026-01-31T08:15:30',
      end_time: '2026-01-31T08:16:30',
    },
    vulnerabilities,
  }
}
