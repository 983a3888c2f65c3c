import { isDeepStrictEqual } from 'node:util'
import type { Severity, State } from '../../domain/findings/scales.ts'
import { disambiguatedUuid } from '../../domain/reports/formats/identity/result-fingerprints.ts'
import type { Report, ReportFinding } from '../../domain/reports/formats/report.ts'
import type { ImportCounts } from '../../domain/reports/imports/import.ts'
import { agree, byLine, fingerprintsOf, formerNames, isBare, nearestPairs, traits } from './match-model.ts'

/** Expected state of a finding. */
export interface KnownFlaw {
  uuid: string
  /** Latest content that was applied. */
  said: ReportFinding
  /** Presence by ref. */
  isOn: Map<string, boolean>
  /** By ref: the import that observed the finding last, and the import since which it is certainly present. */
  lastSeen: Map<string, number>
  since: Map<string, number>
  /** Reasons of matches with another UUID, newest first. */
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
  /** Findings in order of detection. */
  flaws: KnownFlaw[]
  isAutoResolving: boolean
  /** Imports a report and returns the expected counts. */
  add(report: Report, ref: string, promote: boolean): ImportCounts
}

const main = 'main'

/** Reference model of a project: a simple implementation of the import rules in memory, to compare the server with. */
export function startModel(projectId: number): ProjectModel {
  const flaws: KnownFlaw[] = []
  const otherNames = new Map<string, KnownFlaw>()
  let imports = 0
  const model: ProjectModel = { flaws, isAutoResolving: false, add }
  return model

  function add(report: Report, ref: string, promote: boolean): ImportCounts {
    imports++
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

    const knownAs = (uuid: string) => flaws.find((flaw) => flaw.uuid === uuid) ?? otherNames.get(uuid)
    const names = new Map<ReportFinding, string>()
    const nameOf = (finding: ReportFinding) => names.get(finding) ?? finding.uuid
    const owners = new Map<ReportFinding, KnownFlaw>()
    for (const finding of report.findings) {
      const owner = knownAs(finding.uuid)
      const isSame = !owner || isDeepStrictEqual(stored(owner.said), stored(finding))
      if (isSame || agree(finding, owner.said) !== false) continue
      names.set(finding, disambiguatedUuid(finding.uuid, finding.fingerprints))
      owners.set(finding, owner)
    }
    const doubts = report.findings.flatMap((finding) => {
      const flaw = knownAs(nameOf(finding))
      const since = flaw && wasPresent.has(flaw) ? flaw.since.get(ref) : undefined
      const { scanner, reportType, doubt } = finding
      return doubt ? [{ scanner: scanner.externalId, reportType, file: undefined, identifier: undefined, since }] : []
    })
    const gaps = [...report.gaps, ...doubts]
    const isWhole = gaps.every(({ since }) => since !== undefined)
    const unknown: ReportFinding[] = []
    const claims: ReportFinding[] = []
    for (const finding of report.findings) {
      const own = flaws.find(({ uuid }) => uuid === nameOf(finding))
      if (own) see(own, finding)
      else if (otherNames.has(nameOf(finding))) claims.push(finding)
      else unknown.push(finding)
    }
    const refused: ReportFinding[] = []
    for (const finding of claims) {
      const flaw = otherNames.get(nameOf(finding)) as KnownFlaw
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
      otherNames.set(isRenamed ? flaw.uuid : nameOf(finding), flaw)
      if (isRenamed) flaw.uuid = nameOf(finding)
      if (mayTake(flaw)) flaw.said = finding
    }
    const isOfPast = ({ scanner }: ReportFinding) => wasKnownScanner.has(scanner.externalId)
    for (const scope of ['file', 'anywhere'] as const) {
      for (const index of [0, 1, 2, 3]) {
        for (const finding of [...open].filter(isOfPast)) {
          const key = fingerprintsOf(finding, scope)[index]
          const has = (other: ReportFinding) => key !== undefined && fingerprintsOf(other, scope).includes(key)
          if (report.findings.filter(has).length !== 1) continue
          const candidates = flaws.filter((flaw) => !seen.has(flaw) && has(flaw.said))
          const best = [true, undefined, false]
            .map((isOn) => candidates.filter((flaw) => flaw.isOn.get(ref) === isOn))
            .find((some) => some.length > 0)
          const [flaw] = best ?? []
          if (flaw && best?.length === 1 && agree(finding, flaw.said)) recognise(flaw, finding, 'fingerprint')
        }
      }
    }
    for (const [finding, owner] of owners) {
      if (!open.includes(finding) || seen.has(owner)) continue
      see(owner, finding)
      open = open.filter((other) => other !== finding)
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
    const isNear = (flaw: KnownFlaw) => flaw.isOn.get(ref) ?? flaw.isOn.get(main) ?? false
    const bare = open.filter((finding) => isBare(finding) && isOfPast(finding) && gaps.length === 0)
    const known = flaws.filter((flaw) => !seen.has(flaw) && isBare(flaw.said) && isNear(flaw))
    for (const [finding, flaw] of nearestPairs(bare, known)) recognise(flaw, finding, 'nearest')
    for (const said of open) {
      otherNames.delete(nameOf(said))
      const flaw: KnownFlaw = {
        uuid: nameOf(said),
        said,
        isOn: new Map(),
        lastSeen: new Map(),
        since: new Map(),
        matches: [],
        vulnerability: undefined,
      }
      flaws.push(flaw)
      seen.set(flaw, said)
    }

    const scanners = [report.scanner, ...report.scanners, ...report.findings.map(({ scanner }) => scanner)]
    const ids = new Set(scanners.map((scanner) => scanner?.externalId))
    const types = new Set<string>([...report.reportTypes, ...report.findings.map(({ reportType }) => reportType)])
    const isHeld = ({ said, isOn, lastSeen }: KnownFlaw) =>
      gaps.some(
        ({ scanner, reportType, file, identifier, since }) =>
          (scanner ?? said.scanner.externalId) === said.scanner.externalId &&
          (reportType ?? said.reportType) === said.reportType &&
          (file ?? said.location['file']) === said.location['file'] &&
          (identifier ?? said.identifiers[0].fingerprint) === said.identifiers[0].fingerprint &&
          (since === undefined || (isOn.get(ref) ? (lastSeen.get(ref) ?? 0) : 0) < since),
      )
    const isLookedFor = ({ said }: KnownFlaw) => ids.has(said.scanner.externalId) && types.has(said.reportType)
    const isMissed = (flaw: KnownFlaw) => wasPresent.has(flaw) || (ref === main && isRecordedPresent(flaw))
    const missing = flaws.filter((flaw) => !seen.has(flaw) && isLookedFor(flaw) && isMissed(flaw))
    const gone = new Set(missing.filter((flaw) => !isHeld(flaw)))
    const isComplete = isWhole && gone.size === missing.length
    const returned = [...seen.keys()].filter((flaw) => flaw.isOn.get(ref) === false)

    for (const flaw of flaws) {
      const tell = (text: string) => flaw.vulnerability?.history.push(text)
      if (moved.has(flaw)) tell(`matched ${ref} ${moved.get(flaw)}`)
      if (seen.has(flaw) && !flaw.isOn.has(ref)) tell(`found ${ref}`)
      if (returned.includes(flaw)) tell(`back ${ref}`)
      if (gone.has(flaw)) tell(`gone ${ref}`)
      if (seen.has(flaw) && (!flaw.isOn.get(ref) || !isComplete)) flaw.since.set(ref, imports)
      if (seen.has(flaw)) flaw.lastSeen.set(ref, imports)
      if (seen.has(flaw)) flaw.isOn.set(ref, true)
      if (gone.has(flaw) && flaw.isOn.has(ref)) flaw.isOn.set(ref, false)
      if (seen.has(flaw)) follow(flaw, ref)
      if (ref === main && gone.has(flaw)) leave(flaw)
    }
    if (ref === main && isComplete) dropRules(report, types)
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

/** Returns true when the vulnerability counts as present on the default branch, even if its current finding is not. */
const isRecordedPresent = ({ vulnerability, said }: KnownFlaw): boolean =>
  vulnerability?.isOnDefaultBranch === true &&
  !vulnerability.isResolvedOnDefaultBranch &&
  said.reportType !== 'secret_detection'

export const isActive = ({ state }: { state: State }): boolean => state === 'detected' || state === 'confirmed'

function become(vulnerability: KnownVulnerability, state: State): void {
  vulnerability.history.push(`state ${vulnerability.state} ${state}`)
  vulnerability.state = state
}

/** Updates a vulnerability from a report on the default branch, or on any branch until the default branch has reported it. */
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

/** Returns the stored content of a finding, without its position in the report. */
function stored({ pointer: _pointer, keys: _keys, codeExtract: _code, doubt: _doubt, ...rest }: ReportFinding) {
  return JSON.parse(JSON.stringify(rest))
}
