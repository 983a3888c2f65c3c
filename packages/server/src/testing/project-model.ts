import { isDeepStrictEqual } from 'node:util'
import { findingUuid } from '../domain/reports/fingerprints.ts'
import type { ImportCounts } from '../domain/reports/import.ts'
import type { Report, ReportFinding } from '../domain/reports/report.ts'
import type { Severity, State } from '../domain/vulnerabilities/scales.ts'

/** A finding as the project should know it. */
export interface KnownFlaw {
  uuid: string
  /** What was taken over last. */
  said: ReportFinding
  /** Whether it is there, by ref. */
  isOn: Map<string, boolean>
  /** Why it was recognised under another uuid, newest first. */
  matches: { reason: string; ref: string }[]
  vulnerability: KnownVulnerability | undefined
}

interface KnownVulnerability {
  title: string
  severity: Severity
  isSeveritySet: boolean
  state: State
  isResolvedOnDefaultBranch: boolean
  isOnDefaultBranch: boolean
  history: string[]
}

export interface ProjectModel {
  /** In the order in which they were found. */
  flaws: KnownFlaw[]
  isAutoResolving: boolean
  /** Takes in what a report says, and tells the counts of the import. */
  add(report: Report, ref: string, promote: boolean): ImportCounts
}

const main = 'main'

/**
 * What should become of a project: the rules of the contract once more, as plainly as they can be said, over everything
 * in memory.
 */
export function startModel(projectId: number): ProjectModel {
  const flaws: KnownFlaw[] = []
  const otherNames = new Map<string, KnownFlaw>()
  const model: ProjectModel = { flaws, isAutoResolving: false, add }
  return model

  function add(report: Report, ref: string, promote: boolean): ImportCounts {
    const before = new Set(flaws)
    const wasPresent = new Set(flaws.filter(({ isOn }) => isOn.get(ref)))
    const wasOnDefault = new Set(flaws.filter(({ isOn }) => isOn.has(main)))
    const wasKnownScanner = new Set(flaws.map(({ said }) => said.scanner.externalId))
    const seen = new Map<KnownFlaw, ReportFinding>()
    const changed = new Set<KnownFlaw>()
    const mayTake = (flaw: KnownFlaw) => ref === main || !wasOnDefault.has(flaw)
    const see = (flaw: KnownFlaw, finding: ReportFinding) => {
      seen.set(flaw, finding)
      if (!mayTake(flaw) || isDeepStrictEqual(stored(flaw.said), stored(finding))) return
      changed.add(flaw)
      flaw.said = finding
    }

    const isNewDoubt = ({ uuid, doubt }: ReportFinding) =>
      doubt && !wasPresent.has(flaws.find((flaw) => flaw.uuid === uuid) ?? (otherNames.get(uuid) as KnownFlaw))
    const doubts = report.findings.filter(isNewDoubt).map(({ scanner, reportType }) => {
      return { scanner: scanner.externalId, reportType, file: undefined, identifier: undefined }
    })
    const gaps = [...report.gaps, ...doubts]
    const unknown: ReportFinding[] = []
    const claims: ReportFinding[] = []
    for (const finding of report.findings) {
      const own = flaws.find(({ uuid }) => uuid === finding.uuid)
      if (own) see(own, finding)
      else if (otherNames.has(finding.uuid)) claims.push(finding)
      else unknown.push(finding)
    }
    const refused: ReportFinding[] = []
    for (const finding of claims) {
      const flaw = otherNames.get(finding.uuid) as KnownFlaw
      if (seen.has(flaw)) refused.push(finding)
      else see(flaw, finding)
    }

    const moved = new Map<KnownFlaw, string>()
    let open = [...unknown, ...refused]
    const recognise = (flaw: KnownFlaw, finding: ReportFinding, reason: string) => {
      seen.set(flaw, finding)
      moved.set(flaw, reason)
      flaw.matches.unshift({ reason, ref })
      open = open.filter((other) => other !== finding)
      const isRenamed = reason === 'identifier' && mayTake(flaw)
      otherNames.set(isRenamed ? flaw.uuid : finding.uuid, flaw)
      if (isRenamed) flaw.uuid = finding.uuid
      if (mayTake(flaw)) flaw.said = finding
    }
    for (const finding of [...open]) {
      const former = formerNames(finding, projectId).flatMap(({ uuid, reason }) => {
        const flaw = flaws.find((known) => known.uuid === uuid && !seen.has(known))
        const isOfScanner = flaw?.said.scanner.externalId === finding.scanner.externalId
        return flaw && (reason === 'identifier' || isOfScanner) ? [{ flaw, reason }] : []
      })
      if (former[0]) recognise(former[0].flaw, finding, former[0].reason)
    }
    for (const trait of traits) {
      const groups = new Map<string, { fresh: ReportFinding[]; known: KnownFlaw[] }>()
      const groupOf = (text: string) => groups.get(text) ?? { fresh: [], known: [] }
      for (const finding of open) {
        const text = trait.of(finding)
        if (!text || !wasKnownScanner.has(finding.scanner.externalId)) continue
        const group = groupOf(text)
        groups.set(text, { ...group, fresh: [...group.fresh, finding] })
      }
      for (const flaw of flaws) {
        const text = seen.has(flaw) ? undefined : trait.of(flaw.said)
        if (text && groups.has(text)) groups.set(text, { ...groupOf(text), known: [...groupOf(text).known, flaw] })
      }
      for (const { fresh, known } of groups.values()) {
        if (trait.mustBeAlone && (fresh.length > 1 || known.length > 1)) continue
        const [inReport, inProject] = [fresh.toSorted(byLine), known.toSorted((a, b) => byLine(a.said, b.said))]
        for (const [index, finding] of inReport.entries()) {
          const flaw = inProject[index]
          if (flaw) recognise(flaw, finding, trait.reason)
        }
      }
    }
    for (const said of open) {
      otherNames.delete(said.uuid)
      const flaw: KnownFlaw = { uuid: said.uuid, said, isOn: new Map(), matches: [], vulnerability: undefined }
      flaws.push(flaw)
      seen.set(flaw, said)
    }

    const scanners = [report.scanner, ...report.scanners, ...report.findings.map(({ scanner }) => scanner)]
    const ids = new Set(scanners.map((scanner) => scanner?.externalId))
    const types = new Set<string>([...report.reportTypes, ...report.findings.map(({ reportType }) => reportType)])
    const isHeld = ({ said }: KnownFlaw) =>
      gaps.some(
        ({ scanner, reportType, file, identifier }) =>
          (scanner ?? said.scanner.externalId) === said.scanner.externalId &&
          (reportType ?? said.reportType) === said.reportType &&
          (file ?? said.location['file']) === said.location['file'] &&
          (identifier ?? said.identifiers[0].fingerprint) === said.identifiers[0].fingerprint,
      )
    const isLookedFor = ({ said }: KnownFlaw) => ids.has(said.scanner.externalId) && types.has(said.reportType)
    const isMissed = (flaw: KnownFlaw) => wasPresent.has(flaw) || (ref === main && isSaidToBeThere(flaw))
    const gone = new Set(
      flaws.filter((flaw) => !isHeld(flaw) && !seen.has(flaw) && isLookedFor(flaw) && isMissed(flaw)),
    )
    const returned = [...seen.keys()].filter((flaw) => flaw.isOn.get(ref) === false)

    for (const flaw of flaws) {
      const tell = (text: string) => flaw.vulnerability?.history.push(text)
      if (moved.has(flaw)) tell(`matched ${ref} ${moved.get(flaw)}`)
      if (seen.has(flaw) && !flaw.isOn.has(ref)) tell(`found ${ref}`)
      if (returned.includes(flaw)) tell(`back ${ref}`)
      if (gone.has(flaw)) tell(`gone ${ref}`)
      if (seen.has(flaw)) flaw.isOn.set(ref, true)
      if (gone.has(flaw) && flaw.isOn.has(ref)) flaw.isOn.set(ref, false)
      if (seen.has(flaw)) follow(flaw, ref)
      if (ref === main && gone.has(flaw)) leave(flaw)
    }
    if (ref === main && gaps.length === 0) dropRules(report, types)
    const promoted = promote ? [...seen.keys()].filter(({ vulnerability }) => !vulnerability) : []
    for (const flaw of promoted) flaw.vulnerability = vulnerabilityOf(flaw)
    return {
      ...report.counts,
      new: seen.size - [...seen.keys()].filter((flaw) => before.has(flaw)).length,
      known: [...seen.keys()].filter((flaw) => before.has(flaw)).length - returned.length,
      returned: returned.length,
      gone: gone.size,
      changed: changed.size,
      moved: moved.size,
      promoted: promoted.length,
    }
  }

  function leave({ vulnerability, said }: KnownFlaw): void {
    if (!vulnerability || vulnerability.isResolvedOnDefaultBranch || said.reportType === 'secret_detection') return
    vulnerability.isResolvedOnDefaultBranch = true
    if (model.isAutoResolving && isActive(vulnerability)) become(vulnerability, 'resolved')
  }

  function dropRules({ scan }: Report, types: ReadonlySet<string>): void {
    const rules = scan.primaryIdentifiers
    if (!rules) return
    for (const { vulnerability, said } of flaws) {
      if (!vulnerability?.isResolvedOnDefaultBranch || vulnerability.state !== 'detected') continue
      const [{ externalType, fingerprint }] = said.identifiers
      const isOfKind = types.has(said.reportType) && rules.some((rule) => rule.externalType === externalType)
      if (isOfKind && !rules.some((rule) => rule.fingerprint === fingerprint)) become(vulnerability, 'resolved')
    }
  }
}

/** The default branch may have had it under another name, or somebody promoted what it does not have. */
const isSaidToBeThere = ({ vulnerability, said }: KnownFlaw): boolean =>
  vulnerability?.isOnDefaultBranch === true &&
  !vulnerability.isResolvedOnDefaultBranch &&
  said.reportType !== 'secret_detection'

export const isActive = ({ state }: { state: State }): boolean => state === 'detected' || state === 'confirmed'

function become(vulnerability: KnownVulnerability, state: State): void {
  vulnerability.history.push(`state ${vulnerability.state} ${state}`)
  vulnerability.state = state
}

/** Vulnerabilities go by what the default branch says, or, until it has seen them, by any branch. */
function follow({ vulnerability, said }: KnownFlaw, ref: string): void {
  if (!vulnerability || (ref !== main && vulnerability.isOnDefaultBranch)) return
  vulnerability.title = said.name.trim()
  if (!vulnerability.isSeveritySet && vulnerability.severity !== said.severity) {
    vulnerability.history.push(`severity ${vulnerability.severity} ${said.severity}`)
    vulnerability.severity = said.severity
  }
  if (ref !== main) return
  vulnerability.isOnDefaultBranch = true
  vulnerability.isResolvedOnDefaultBranch = false
  if (vulnerability.state === 'resolved') become(vulnerability, 'detected')
}

const vulnerabilityOf = ({ said, isOn }: KnownFlaw): KnownVulnerability => ({
  title: said.name.trim(),
  severity: said.severity,
  isSeveritySet: false,
  state: 'detected',
  isResolvedOnDefaultBranch: false,
  isOnDefaultBranch: isOn.has(main),
  history: [`created ${[...isOn.keys()][0]}`],
})

/** What is kept of a finding; not where it stands in the file. */
function stored({ pointer: _pointer, keys: _keys, codeExtract: _code, ...rest }: ReportFinding) {
  return JSON.parse(JSON.stringify(rest))
}

const lineOf = ({ location }: ReportFinding) => Number(location['start_line'] ?? 0)
const byLine = (a: ReportFinding, b: ReportFinding) => lineOf(a) - lineOf(b)

interface Trait {
  reason: string
  mustBeAlone: boolean
  /** Findings with the same text have it in common; `undefined`: it has no such trait. */
  of(finding: ReportFinding): string | undefined
}

const algorithms = ['rule_value', 'scope_offset_compressed', 'scope_offset', 'location', 'hash']

/** The best first. Always together with type, scanner and rule. */
const traits: readonly Trait[] = [
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

const codeOf = ({ codeExtract = '' }: ReportFinding) => codeExtract.replace(/\s+/g, ' ').trim()

const takers = ['semgrep', 'gitleaks', 'gitlab-advanced-sast']

/** Uuids that it would have had without its signature, or, where scanners take over from others, as those named it. */
function formerNames(finding: ReportFinding, projectId: number): { uuid: string; reason: string }[] {
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
