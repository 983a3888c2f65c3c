import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readWholeReport } from '../reader/read-report.ts'

async function messagesOf(text: string) {
  const read = await readWholeReport(() => Readable.from([Buffer.from(text)]), { projectId: 1 })
  return 'problems' in read ? read.problems.map(({ message }) => message) : []
}

const documents: [name: string, document: unknown][] = [
  ['an error message of npm, pnpm or yarn audit', { error: { code: 'ENOLOCK', summary: 'no lock file' } }],
  ['a cargo audit report', { database: {}, lockfile: {}, vulnerabilities: { found: true, list: [] } }],
  ['a pip-audit report', { dependencies: [], fixes: [] }],
  ['a Safety report', { report_meta: {}, vulnerabilities: [] }],
  ['a report of Snyk about infrastructure as code', { infrastructureAsCodeIssues: [], ok: true }],
  ['a Checkov report without results', { passed: 0, failed: 0, skipped: 0, checkov_version: '3.2.400' }],
  ['a gosec report', { 'Golang errors': {}, Issues: [], Stats: {} }],
  ['a Brakeman report', { scan_info: {}, warnings: [] }],
  ['a KICS report', { kics_version: '2.0', queries: [] }],
  ['a detect-secrets baseline', { version: '1.5.0', plugins_used: [], results: {} }],
  ['an ESLint report', [{ filePath: '/a.js', messages: [] }]],
  ['a GitLab Code Quality report', [{ check_name: 'a', fingerprint: 'b', location: {} }]],
  ['a Clair report', { manifest_hash: 'a', packages: {}, vulnerabilities: {} }],
  ['a report of Anchore Engine', { imageDigest: 'a', vulnerability_type: 'all', vulnerabilities: [] }],
  ['a Veracode report', { pipeline_scan: '1', findings: [], scan_id: 'a', scan_status: 'SUCCESS' }],
  ['a list of issues of SonarQube', { total: 1, effortTotal: 2, issues: [], components: [] }],
  ['a trivy k8s report', { ClusterName: 'a', Resources: [] }],
]

test.for(documents)('%s is rejected by name', async ([name, document]) => {
  expect(await messagesOf(JSON.stringify(document))).toEqual([
    expect.stringMatching(new RegExp(`^This is ${name}; Alcove does not read it\\. .+\\. What can be read: GitLab`)),
  ])
})

test.for([
  ['an XML file', '<?xml version="1.0"?>\n<unknown/>'],
  ['an XML report of ZAP', '<?xml version="1.0"?>\n<OWASPZAPReport/>'],
  ['a Nessus report', '<?xml version="1.0" ?>\n<NessusClientData_v2>'],
  ['a Qualys report', '<?xml version="1.0"?><!DOCTYPE ASSET_DATA_REPORT SYSTEM "a"><ASSET_DATA_REPORT>'],
  ['a Veracode report', '<?xml version="1.0"?><detailedreport xmlns:xsi="a">'],
  ['a Fortify report (FVDL)', '<?xml version="1.0"?><FVDL version="1.16">'],
  ['a Fortify report (FPR)', 'PK\u0003\u0004\u0014 audit.fvdl'],
  ['a table of Trivy or Grype', 'package-lock.json (npm)\n=======================\nTotal: 2 (HIGH: 2)\n'],
  ['an XML file', '\ufeff  <issues format="5"/>'],
  ['an HTML page', '<!DOCTYPE html><html><body>Sign in</body></html>'],
  ['a TruffleHog report', '{"SourceMetadata":{},"DetectorName":"a"}\n{"SourceMetadata":{},"DetectorName":"b"}\n'],
  ['a ZIP archive', 'PK\u0003\u0004\u0014'],
])('%s is rejected by name: %s', async ([name, text]) => {
  expect(await messagesOf(text as string)).toEqual([
    expect.stringContaining(`This is ${name}; Alcove does not read it.`),
  ])
})

test('a DAST report of GitLab is not taken for one of ZAP, whose keys its analyzer copies', async () => {
  const copied = { '@programName': 'ZAP', '@version': '2.10.0', '@generated': 'Mon, 5 Jan 2026', site: [] }
  const report = { ...copied, version: '13.1.0', scan: { type: 'dast' }, vulnerabilities: [] }
  expect(await messagesOf(JSON.stringify(report))).toEqual([
    expect.stringMatching(/^Version 13\.1\.0 for report type dast is unsupported, supported versions/),
  ])
})

test('an empty file is rejected as empty', async () => {
  expect(await messagesOf(' \n')).toEqual(['Report file is empty'])
})

test('invalid JSON is rejected with line and column', async () => {
  expect(await messagesOf('{"a": 1,\n"b": }')).toEqual([expect.stringContaining('line 2, column 6')])
})

test.for([[{ version: '2.1.0' }], [{ version: '2.1.0', tool: {} }]])(
  'SARIF without runs and schema is recognised: %j',
  async ([document]) => {
    expect(await messagesOf(JSON.stringify(document))).toEqual(['root is missing required keys: runs'])
  },
)
