import { findingUuid } from '../../domain/reports/formats/identity/fingerprints.ts'
import type { ReportFinding } from '../../domain/reports/formats/report.ts'

const lineOf = ({ location }: ReportFinding) => Number(location['start_line'] ?? 0)
/** Orders findings by their line. */
export const byLine = (a: ReportFinding, b: ReportFinding) => lineOf(a) - lineOf(b)

interface Trait {
  reason: string
  mustBeAlone: boolean
  /** Returns a text that is equal for findings that share the trait, or undefined when the finding does not have it. */
  of(finding: ReportFinding): string | undefined
}

const algorithms = ['rule_value', 'scope_offset_compressed', 'scope_offset', 'location', 'hash']

/** Traits for matching, best first. They apply only to findings of the same type, scanner and rule. */
export const traits: readonly Trait[] = [
  ...algorithms.map((algorithm) =>
    trait('signature', false, ({ signatures }) => signatures.find((one) => one.algorithm === algorithm)?.sha),
  ),
  trait('location', false, ({ signatures, locationFingerprint }) => signatures.length > 0 && locationFingerprint),
  trait('code', false, (finding) => codeOf(finding) && [finding.location['file'], codeOf(finding)]),
  trait('code_elsewhere', true, (finding) => codeOf(finding).length >= 20 && codeOf(finding)),
  trait('symbol', true, ({ location }) => {
    const { file, class: container, method } = location
    return (container || method) && [file, container, method]
  }),
]

function trait(reason: string, mustBeAlone: boolean, of: (finding: ReportFinding) => unknown): Trait {
  return {
    reason,
    mustBeAlone,
    of(finding) {
      const { reportType, scanner, identifiers } = finding
      const isInCode = reportType === 'sast' || reportType === 'secret_detection'
      const value = isInCode && of(finding)
      const [{ fingerprint }] = identifiers
      return value ? JSON.stringify([reportType, scanner.externalId, fingerprint, value]) : undefined
    },
  }
}

const baseOf = (name: string) => name.replace(/\/v\d+$/, '')

/** Compares the fingerprints of two findings, by the highest version of each name that both have. */
export function agree(finding: ReportFinding, said: ReportFinding): boolean | undefined {
  const shared = finding.fingerprints.flatMap(({ name, value }) => {
    const other = said.fingerprints.find((one) => one.name === name)
    return other ? [{ base: baseOf(name), isEqual: other.value === value }] : []
  })
  const firsts = shared.filter(({ base }, index) => shared.findIndex((one) => one.base === base) === index)
  return firsts.length === 0 ? undefined : firsts.some(({ isEqual }) => isEqual)
}

/** Returns a comparable text for each fingerprint that the scanner computed, within one file or the whole project. */
export const fingerprintsOf = (finding: ReportFinding, scope: 'file' | 'anywhere'): string[] =>
  finding.fingerprints.map(({ name, value }) => {
    const file = scope === 'file' && finding.location['file']
    return JSON.stringify([finding.reportType, finding.scanner.externalId, ruleOf(finding), file, name, value])
  })

const ruleOf = ({ identifiers }: ReportFinding) => identifiers[0].fingerprint

/** Returns true when only the line identifies the position of a finding in its file. */
export const isBare = (finding: ReportFinding): boolean =>
  finding.reportType === 'sast' &&
  finding.fingerprints.length + finding.signatures.length === 0 &&
  traits.every(({ of }) => !of(finding)) &&
  Boolean(finding.location['file']) &&
  lineOf(finding) > 0

/** Returns the pairs of nearest findings. Compares all pairs. */
export function nearestPairs<Flaw extends { said: ReportFinding }>(
  fresh: readonly ReportFinding[],
  known: readonly Flaw[],
): [ReportFinding, Flaw][] {
  const isAlike = (finding: ReportFinding, { said }: Flaw) =>
    said.scanner.externalId === finding.scanner.externalId &&
    ruleOf(said) === ruleOf(finding) &&
    said.location['file'] === finding.location['file']
  const far = (finding: ReportFinding, { said }: Flaw) => Math.abs(lineOf(finding) - lineOf(said))
  const pairs = fresh.flatMap((finding) =>
    known.filter((flaw) => isAlike(finding, flaw)).map((flaw): [ReportFinding, Flaw] => [finding, flaw]),
  )
  const near = pairs.filter(([finding, flaw]) =>
    pairs.every(([a, b]) => (a === finding) === (b === flaw) || far(a, b) > far(finding, flaw)),
  )
  return near.filter(([finding, flaw]) => {
    const lines = (all: readonly ReportFinding[]) => all.map(lineOf).sort((a, b) => a - b)
    const after = lines(fresh.filter((one) => isAlike(one, flaw)))
    const was = lines(known.filter((one) => isAlike(finding, one)).map(({ said }) => said))
    const shifts = new Set(after.map((line, index) => line - (was[index] ?? Number.NaN)))
    if (after.length !== was.length || after.length < 2 || shifts.size > 1) return true
    const alike = near.filter(([a, b]) => isAlike(a, flaw) && isAlike(finding, b))
    return alike.every(([a, b]) => shifts.has(lineOf(a) - lineOf(b.said)))
  })
}

const codeOf = ({ codeExtract = '' }: ReportFinding) => codeExtract.replace(/\s+/g, ' ').trim()

const takers = ['semgrep', 'gitleaks', 'gitlab-advanced-sast']

/** Returns UUIDs that the finding would have without its signature, or under a scanner that its scanner replaces. */
export function formerNames(finding: ReportFinding, projectId: number): { uuid: string; reason: string }[] {
  const { reportType, scanner, identifiers, signatures, locationFingerprint } = finding
  const [first, ...others] = identifiers
  const nameOf = (fingerprint: string, place: string) => findingUuid(reportType, fingerprint, place, projectId)
  const names =
    signatures.length > 0 ? [{ uuid: nameOf(first.fingerprint, locationFingerprint), reason: 'location' }] : []
  if (!takers.includes(scanner.externalId)) return names
  const places = [locationFingerprint, ...signatures.slice(0, 1).map(({ algorithm, sha }) => `${algorithm}:${sha}`)]
  for (const { externalType, fingerprint } of others) {
    if (['cwe', 'owasp'].includes(externalType.toLowerCase())) continue
    for (const place of places) names.push({ uuid: nameOf(fingerprint, place), reason: 'identifier' })
  }
  return names
}
