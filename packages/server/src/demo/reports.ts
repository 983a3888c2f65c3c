import type { DemoProject, Scanner } from './names.ts'
import { openRandom, type Random } from './random.ts'
import { type CodeResult, codeResult, sarifLog } from './sarif.ts'

/** Finding of the demo, which a scanner reports from one month until it is fixed. */
interface DemoFinding<Entry> {
  from: number
  until: number
  entry: Entry
}

/** Scanner of the demo with a function that creates its report of a month. */
interface ReportSource {
  fileName: string
  reportOf: (month: number, at: string) => object
}

/** Scanners whose reports have GitLab's format. The code scanner writes SARIF. */
type GitlabScanner = Exclude<Scanner, 'sast'>

/** Number of months that the history of the demo covers. */
export const months = 12

/** Returns the scanners of a project with their reports. */
export function reportsOf(project: DemoProject): ReportSource[] {
  return project.scanners.map((scanner) => {
    const random = openRandom(`${project.name} ${scanner}`)
    if (scanner === 'sast') {
      const present = historyOf(project, scanner, random, (index) => weaknessIn(project, random, index))
      return { fileName: 'codewatch.sarif', reportOf: (month) => sarifLog(present(month)) }
    }
    const present = historyOf(project, scanner, random, (index) => entries[scanner](project, random, index))
    const fileName = `gl-${scanner.replaceAll('_', '-')}-report.json`
    return { fileName, reportOf: (month, at) => gitlabReport(scanner, at, present(month)) }
  })
}

/** Invents the findings of a scanner. Returns a function that lists those of a month. */
function historyOf<Entry>(
  project: DemoProject,
  scanner: Scanner,
  random: Random,
  entryOf: (index: number) => Entry,
): (month: number) => Entry[] {
  const count = Math.round(project.findings * shares[scanner])
  const findings = Array.from({ length: count }, (_, index): DemoFinding<Entry> => {
    const isShared = scanner === 'dependency_scanning' && index === 0
    if (isShared) return { from: 0, until: Number.POSITIVE_INFINITY, entry: entryOf(index) }
    // A third exists from the start, and later ones arrive evenly. Half of all are fixed after some months.
    const from = Math.max(0, random.below(months + 6) - 6)
    const until = random.below(2) === 0 ? Number.POSITIVE_INFINITY : from + 1 + random.below(8)
    return { from, until, entry: entryOf(index) }
  })
  return (month) => findings.filter(({ from, until }) => from <= month && month < until).map(({ entry }) => entry)
}

/** Secrets are rarer than everything else. */
const shares: Record<Scanner, number> = {
  sast: 1.3,
  dependency_scanning: 1,
  container_scanning: 1.1,
  secret_detection: 0.12,
}

function gitlabReport(type: GitlabScanner, at: string, vulnerabilities: object[]): object {
  const [id, name] = tools[type]
  const tool = { id, name, version: '3.2.0', vendor: { name: 'Sample' } }
  const time = at.slice(0, 19)
  return {
    version: '15.2.1',
    scan: { analyzer: tool, scanner: tool, type, status: 'success', start_time: time, end_time: time },
    vulnerabilities,
    ...(type === 'dependency_scanning' && { dependency_files: [] }),
  }
}

const tools: Record<GitlabScanner, [id: string, name: string]> = {
  dependency_scanning: ['packwatch', 'Packwatch'],
  container_scanning: ['layerwatch', 'Layerwatch'],
  secret_detection: ['keywatch', 'Keywatch'],
}

function weaknessIn(project: DemoProject, random: Random, index: number): CodeResult {
  const [name, severity, cwe, solution] = random.pick(weaknesses)
  const file = `src/${random.pick(folders)}/${random.pick(files)}.${extensionOf(project)}`
  return codeResult({ name, severity, cwe, solution }, { file, line: 20 + random.below(400), index })
}

const entries: Record<GitlabScanner, (project: DemoProject, random: Random, index: number) => object> = {
  dependency_scanning(project, random, index) {
    if (index === 0) return sharedFlaw(project)
    const name = random.pick(packages)
    const file = lockFileOf(project)
    return {
      ...flawOf(name, random, index),
      id: `dependency-${index}`,
      location: { file, dependency: { package: { name }, version: versionIn(project, name) } },
    }
  },
  container_scanning(project, random, index) {
    const name = random.pick(systemPackages)
    const image = `registry.example.com/${project.name.toLowerCase().replaceAll(' ', '-')}:main`
    return {
      ...flawOf(name, random, index),
      id: `image-${index}`,
      location: {
        dependency: { package: { name }, version: versionIn(project, name) },
        operating_system: 'debian:13',
        image,
      },
    }
  },
  secret_detection(_project, random, index) {
    const [name, rule] = random.pick(secrets)
    return {
      id: `secret-${index}`,
      name,
      description: `${name} in a file of the repository. Revoke it, then remove it from the history.`,
      severity: 'Critical',
      location: { file: `config/${random.pick(files)}.env`, start_line: 1 + index, commit: { sha: '0000000' } },
      identifiers: [{ type: 'keywatch_rule', name: `Keywatch ${rule}`, value: `${rule}-${index}` }],
    }
  },
}

/** Returns an invented vulnerability of a package. No list of vulnerabilities has the year 2099 yet. */
function flawOf(name: string, random: Random, index: number): object {
  const severity = random.pick(['Critical', 'High', 'High', 'Medium', 'Medium', 'Medium', 'Low'])
  const cve = `CVE-2099-${10_000 + random.below(80_000)}`
  const kind = random.pick([
    'Denial of service',
    'Out-of-bounds read',
    'Path traversal',
    'Request smuggling',
    'Prototype pollution',
  ])
  return {
    name: `${kind} in ${name}`,
    description: `${kind} in ${name}, which a crafted input causes.`,
    severity,
    solution: `Update ${name} to a release of this month.`,
    identifiers: [
      { type: 'cve', name: cve, value: cve },
      { type: 'packwatch_id', name: `PW-${index}`, value: `pw-${index}` },
    ],
  }
}

/** Returns a flaw that every project has. */
function sharedFlaw(project: DemoProject): object {
  const name = 'tokenly'
  return {
    id: 'dependency-0',
    name: 'Signature of a token not verified in tokenly',
    description: 'Signature of a token not verified in tokenly when its header names no algorithm.',
    severity: 'High',
    solution: 'Update tokenly to 4.2.0.',
    location: { file: lockFileOf(project), dependency: { package: { name }, version: versionIn(project, name) } },
    identifiers: [
      { type: 'cve', name: 'CVE-2099-10001', value: 'CVE-2099-10001' },
      { type: 'cwe', name: 'CWE-347', value: '347', url: 'https://cwe.mitre.org/data/definitions/347.html' },
    ],
  }
}

const lockFileOf = (project: DemoProject) => (extensionOf(project) === 'ts' ? 'package-lock.json' : 'dependencies.lock')

/** Returns a CycloneDX list of the components of a project. */
export function billOf(project: DemoProject): object {
  const random = openRandom(`${project.name} components`)
  const components = [...packages, ...otherPackages].map((name) => {
    const version = versionIn(project, name)
    const license = { id: random.pick(licenses) }
    return { type: 'library', name, version, purl: `pkg:npm/${name}@${version}`, licenses: [{ license }] }
  })
  return { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components }
}

const licenses = ['MIT', 'MIT', 'Apache-2.0', 'BSD-3-Clause', 'ISC', 'MPL-2.0'] as const

/** Returns the version of a package that a project uses; all projects use the same one of the package with the shared flaw. */
function versionIn(project: DemoProject, name: string): string {
  if (name === 'tokenly') return '4.1.7'
  const random = openRandom(`${project.name} ${name}`)
  return `${1 + random.below(6)}.${random.below(20)}.${random.below(10)}`
}

function extensionOf({ topics }: DemoProject): string {
  const [language = 'typescript'] = topics
  return extensions[language] ?? 'ts'
}

const extensions: Readonly<Record<string, string>> = { java: 'java', go: 'go', python: 'py', kotlin: 'kt' }

const weaknesses = [
  ['SQL built from user input', 'Critical', 89, 'Bind values as parameters.'],
  ['Command built from user input', 'Critical', 78, 'Pass arguments as a list.'],
  ['Path built from user input', 'High', 22, 'Resolve the path and compare its folder.'],
  ['Text inserted into a page unescaped', 'High', 79, 'Use the escaping of the template.'],
  ['Server-side request to any address', 'High', 918, 'Compare the host with a list.'],
  ['Certificate not verified', 'High', 295, 'Remove the option that disables verification.'],
  ['Weak hash for a password', 'Medium', 328, 'Use Argon2id.'],
  ['Redirect to any address', 'Medium', 601, 'Accept paths only.'],
  ['XML parsed with external entities', 'Medium', 611, 'Disable external entities.'],
  ['Predictable random number', 'Medium', 338, 'Use the generator of the system.'],
  ['Cookie without HttpOnly', 'Low', 1004, 'Set the attribute.'],
  ['Error message with a stack trace', 'Low', 209, 'Log it, and show a reference.'],
  ['Log line with user input', 'Low', 117, 'Encode line breaks.'],
  ['Debug option left on', 'Info', 489, 'Remove the option.'],
] as const

const folders = ['orders', 'accounts', 'catalogue', 'prices', 'reports', 'sessions', 'shared', 'imports'] as const
const files = [
  'handler',
  'store',
  'client',
  'parser',
  'render',
  'validate',
  'queue',
  'search',
  'session',
  'export',
] as const
const packages = [
  'samplekit',
  'quickparse',
  'lightroute',
  'tinycache',
  'formdata-lite',
  'yarnball',
  'rapidxml',
  'chartling',
  'mailpipe',
  'tokenly',
  'imagefold',
  'csvstream',
  'jsonmerge',
  'httpling',
  'pathfinder',
  'dateling',
] as const
/** Packages without known vulnerabilities. */
const otherPackages = [
  'argline',
  'colorbox',
  'inkwell',
  'loggerhead',
  'mapreader',
  'retrying',
  'slugline',
  'tabular',
  'unitform',
  'wordwrap-lite',
] as const
const systemPackages = [
  'libsample',
  'libquick',
  'shellkit',
  'coretools',
  'libfold',
  'netkit',
  'libcipher',
  'timekit',
  'archivekit',
] as const
const secrets = [
  ['Password of a database', 'database-password'],
  ['Key of a payment service', 'payment-key'],
  ['Private key', 'private-key'],
  ['Token of a chat service', 'chat-token'],
] as const
