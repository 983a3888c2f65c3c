import type { ReportProblem } from '../../../platform/failure.ts'
import { isBurp } from './burp/xml-as-json.ts'
import { isObject } from './fields/json-fields.ts'
import type { JsonObject } from './report.ts'

/** The supported formats, for messages. */
export const readable =
  'GitLab security reports 14.x and 15.x, SARIF 2.1.0, CycloneDX 1.4 to 1.7, SPDX 2.2 to 3.0 as JSON, and the JSON of Trivy, Grype, Semgrep, OSV-Scanner, Snyk, Bandit, Checkov, Dependency-Check, ZAP, Nuclei, gitleaks, npm audit, pnpm audit and yarn audit, the XML of Burp, and generic CSV and JSON'

/** A common kind of file that is not supported. */
interface Unsupported {
  name: string
  /** Instruction what to send instead. */
  hint: string
  matches: (has: (...keys: string[]) => boolean, root: JsonObject) => boolean
}

const lockFileHint = 'Scan the lock file with Trivy or Grype and send their JSON.'
const sarifHint = (option: string) => `Let the tool write SARIF (${option}).`

/** Unsupported formats, recognised by the keys of the document or of a list's first element. */
const unsupported: readonly Unsupported[] = [
  {
    name: 'an error message of npm, pnpm or yarn audit',
    hint: 'Run the audit again where its lock file is.',
    matches: (has, { error }) => isObject(error) && Object.keys(error).length === 0 && !has('version'),
  },
  {
    name: 'a cargo audit report',
    hint: lockFileHint,
    matches: (has) => has('lockfile', 'vulnerabilities') && !has('scan'),
  },
  {
    name: 'a pip-audit report',
    hint: 'Let it write CycloneDX (--format cyclonedx-json).',
    matches: (has) => has('dependencies', 'fixes'),
  },
  { name: 'a Safety report', hint: lockFileHint, matches: (has) => has('report_meta') },
  {
    name: 'a report of Snyk about infrastructure as code',
    hint: sarifHint('--sarif'),
    matches: (has) => has('infrastructureAsCodeIssues'),
  },
  {
    name: 'a Checkov report without results',
    hint: 'Checkov found nothing that it can check.',
    matches: (has) => has('checkov_version', 'passed', 'failed'),
  },
  {
    name: 'a gosec report',
    hint: sarifHint('-fmt sarif'),
    matches: (has) => has('Issues', 'Stats') || has('GosecVersion'),
  },
  { name: 'a Brakeman report', hint: sarifHint('-f sarif'), matches: (has) => has('scan_info', 'warnings') },
  { name: 'a KICS report', hint: sarifHint('--report-formats sarif'), matches: (has) => has('kics_version') },
  { name: 'a TruffleHog report', hint: 'Scan with gitleaks.', matches: (has) => has('SourceMetadata', 'DetectorName') },
  { name: 'a detect-secrets baseline', hint: 'Scan with gitleaks.', matches: (has) => has('plugins_used') },
  { name: 'an ESLint report', hint: sarifHint('a formatter for SARIF'), matches: (has) => has('filePath', 'messages') },
  {
    name: 'a GitLab Code Quality report',
    hint: 'Send the security report of the scanner.',
    matches: (has) => has('check_name', 'fingerprint'),
  },
  {
    name: 'a list of issues of SonarQube',
    hint: 'Let a converter write GitLab’s format or SARIF.',
    matches: (has) => has('issues', 'effortTotal') || has('issues', 'components', 'total'),
  },
  {
    name: 'a Clair report',
    hint: 'Scan the image with Trivy or Grype and send their JSON.',
    matches: (has) => has('manifest_hash', 'vulnerabilities') || has('LayerCount', 'Vulnerabilities'),
  },
  {
    name: 'a report of Anchore Engine',
    hint: 'Scan the image with Grype and send its JSON.',
    matches: (has) => has('imageDigest', 'vulnerabilities') || has('vulnerability_type', 'vulnerabilities'),
  },
  {
    name: 'a Veracode report',
    hint: 'Convert it to SARIF or to GitLab’s format.',
    matches: (has) => has('pipeline_scan', 'findings') || has('scan_id', 'scan_status', 'findings'),
  },
  {
    name: 'a trivy k8s report',
    hint: 'Scan each image with trivy image and send those reports, each with a category.',
    matches: (has) => has('ClusterName', 'Resources') || has('ClusterName', 'Findings'),
  },
]

/** Returns a problem that names the unsupported format, if it is recognised. `root` is the outline of the document. */
export function unsupportedDocument(root: unknown): ReportProblem | undefined {
  const first: unknown = Array.isArray(root) ? root[0] : root
  if (!isObject(first)) return undefined
  const has = (...keys: string[]) => keys.every((key) => Object.hasOwn(first, key))
  const found = unsupported.find(({ matches }) => matches(has, first))
  return found && problem(found.name, found.hint)
}

/** XML of tools, by an element with which it begins. */
const xmlReports = [
  { root: '<NessusClientData', name: 'a Nessus report', hint: 'Export it as CSV and name its columns with mapping.' },
  { root: '<ASSET_DATA_REPORT', name: 'a Qualys report', hint: 'Export it as CSV and name its columns with mapping.' },
  { root: '<SCAN>', name: 'a Qualys report', hint: 'Export it as CSV and name its columns with mapping.' },
  { root: '<FVDL', name: 'a Fortify report (FVDL)', hint: 'Export it as SARIF.' },
  { root: '<detailedreport', name: 'a Veracode report', hint: 'Convert it to SARIF or to GitLab’s format.' },
  { root: '<OWASPZAPReport', name: 'an XML report of ZAP', hint: 'Let ZAP write JSON (-J).' },
  { root: '<nmaprun', name: 'an Nmap report', hint: 'It lists open ports, not vulnerabilities.' },
  { root: '<BugCollection', name: 'a SpotBugs report', hint: 'Let SpotBugs write SARIF (-sarif).' },
  { root: '<checkstyle', name: 'a Checkstyle report', hint: 'Let the tool write SARIF.' },
  { root: '<report format="', name: 'an OpenVAS report', hint: 'Export it as CSV and name its columns with mapping.' },
] as const

/** Returns a problem that names the kind of a file that is not JSON, recognised by its first characters. */
export function unsupportedText(start: string): ReportProblem | undefined {
  const text = start.replace(/^\ufeff/, '').trimStart()
  if (/^<!doctype html|^<html/i.test(text)) return problem('an HTML page', 'Perhaps a download failed.')
  if (isBurp(text)) return undefined
  const xml = xmlReports.find(({ root }) => text.includes(root))
  if (text.startsWith('<') && xml) return problem(xml.name, xml.hint)
  if (text.startsWith('<')) return problem('an XML file', 'Let the tool write JSON or SARIF.')
  if (isResultTable(text)) return problem('a table of Trivy or Grype', 'Let it write JSON (--format json).')
  if (text.startsWith('PK\u0003\u0004') && text.includes('audit.fvdl')) {
    return problem('a Fortify report (FPR)', 'Export it as SARIF, for example with FortifyVulnerabilityExporter.')
  }
  if (text.startsWith('PK\u0003\u0004')) return problem('a ZIP archive', 'Unpack it and send the report.')
  return undefined
}

/** Trivy draws a line below each heading, and newer versions a border around a summary. */
function isResultTable(text: string): boolean {
  const [, second = '', third = ''] = text.split('\n', 3)
  return /^[┌╔]/.test(text) || (second.startsWith('====') && third.startsWith('Total: '))
}

const problem = (name: string, hint: string): ReportProblem => ({
  type: 'Format',
  message: `This is ${name}; Alcove does not read it. ${hint} What can be read: ${readable}.`,
  pointer: '',
})
