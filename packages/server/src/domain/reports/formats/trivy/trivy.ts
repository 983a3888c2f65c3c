import type { ReportType, Severity } from '../../../findings/scales.ts'
import type { DocumentContext } from '../../reader/document.ts'
import { type FindingDraft, finishFinding } from '../draft.ts'
import { severityOfVectors } from '../fields/cvss-score.ts'
import { ecosystemOf, packageIn } from '../fields/ecosystems.ts'
import { type IdentifierReader, startIdentifiers } from '../fields/identifiers.ts'
import { gradeOn, listOf, objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { linesOf, unknownCommit } from '../fields/line-numbers.ts'
import { shorten } from '../fields/shorten.ts'
import { vulnerabilityId, weaknessIds } from '../fields/vulnerability-ids.ts'
import { chooseType, plainScan, scannerOf, toolHeader } from '../header.ts'
import { artifactName } from '../identity/artifacts.ts'
import { findProblems } from '../problems/checks.ts'
import type { CvssVector, JsonObject, Scanner } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'
import { places, readSuppressed, type SuppressedEntry } from '../suppressed.ts'
import { entryChecks, reportCheck } from './check.ts'
import { addGaps, doubtOf, isOfPackages, type TypesByKind } from './gaps.ts'
import { type FindingKind, findingKind, isOfFindings, type Kind, kindOf, kinds, modifiedKind } from './kinds.ts'

const paths = kinds.map((kind) => ['Results', '*', kind, '*'])
/** Paths before schema version 2, where the root is the list of results. */
const oldPaths = kinds.map((kind) => ['*', kind, '*'])

/** Trivy JSON reports. Vulnerabilities, misconfigurations and secrets have different report types. */
export const trivy: ReportFormat = {
  name: 'trivy',
  recognises: (root) => {
    const object = objectOf(root)
    if (object) return 'SchemaVersion' in object || ('Results' in object && 'ArtifactName' in object)
    const first = Array.isArray(root) && objectOf(root[0])
    return first ? 'Target' in first && [...kinds, 'Type'].some((key) => key in first) : false
  },
  items: [...paths, ...oldPaths],
  open,
}

const packageTypes: readonly ReportType[] = [
  'dependency_scanning',
  'container_scanning',
  'container_scanning_for_registry',
  'cluster_image_scanning',
]

function open(context: DocumentContext, options: OpenOptions): OpenedReport | ReturnType<typeof refuse> {
  const root = context.rest.value
  const report = objectOf(root) ?? {}
  const version = Array.isArray(root) ? '1' : String(report.SchemaVersion)
  if (version !== '1' && version !== '2') return refuse(version)
  const results = Array.isArray(root) ? root : listOf(report.Results)
  const isImage =
    report.ArtifactType === 'container_image' || (Array.isArray(root) && !objectsOf(root).every(isOfFiles))
  const fallback = isImage ? 'container_scanning' : 'dependency_scanning'
  const chosen = chooseType('Trivy', options.reportType, fallback, packageTypes)
  if ('problems' in chosen) return chosen

  const { reportType } = chosen
  const scanner = scannerOf('trivy', 'Trivy', 'Aqua Security', objectOf(report.Trivy)?.Version)
  const has = (kind: Kind) => [...context.firsts.keys()].some((path) => path.includes(kind))
  const looked = objectsOf(results)
  // A scan of configuration files does not cover packages, so known findings in packages keep their state.
  const isForPackages = options.reportType !== undefined || looked.length === 0 || looked.some(isOfPackages)
  const isForCode = has('Misconfigurations') || looked.some(({ Class }) => Class === 'config')
  const typesByKind: TypesByKind = {
    Vulnerabilities: reportType,
    Misconfigurations: 'sast',
    Secrets: 'secret_detection',
  }
  addGaps(root, typesByKind, options.reportType !== undefined, options.gaps)
  const reading: Reading = {
    ...options,
    reportType,
    version,
    scanner,
    report,
    results,
    identifiersOf: startIdentifiers(() => {}),
  }
  const types: ReportType[] = [
    ...(isForPackages ? [reportType] : []),
    ...(isForCode ? (['sast'] as const) : []),
    ...(has('Secrets') ? (['secret_detection'] as const) : []),
  ]
  const scan = plainScan(report.CreatedAt)
  return {
    header: {
      ...toolHeader({ format: 'trivy', version, reportType: types[0] ?? reportType, scanner, scan }),
      reportTypes: types,
    },
    problems: findProblems(reportCheck, root),
    warnings: [],
    mixesScanners: false,
    artifact: () => artifactName(report.ArtifactName),
    scopesOf: (item) => {
      const kind = kindOf(item)
      return isOfFindings(kind) ? [{ reportType: typesByKind[kind] }] : []
    },
    check: (value, item) => findProblems(entryChecks[kindOf(item)], value, item.pointer.slice(1).split('/')),
    read: (entry, item) => {
      const found = findingKind(kindOf(item), entry)
      const result = objectOf(results[Number(item.list.split('/').at(-2))]) ?? {}
      if ('reason' in found) {
        const { pointer } = item
        if (kindOf(item) !== 'ExperimentalModifiedFindings') return [{ pointer, reason: found.reason, isSettled: true }]
        return [readSuppressed(pointer, found.reason, options, () => modifiedEntry(entry, result, reading))]
      }
      return [finishFinding(draftOf(found.kind, entry, result, reading), item.pointer, options)]
    },
  }
}

const draftOf = (kind: FindingKind, entry: JsonObject, result: JsonObject, reading: Reading): FindingDraft => ({
  ...drafts[kind](entry, result, reading),
  doubt: doubtOf[kind](entry, result),
})

/** Returns a finding that an ignore file or a VEX document has taken out of the report. */
function modifiedEntry(entry: JsonObject, result: JsonObject, reading: Reading): SuppressedEntry | undefined {
  const kind = modifiedKind(entry)
  const finding = objectOf(entry.Finding)
  const source = textOf(entry.Source)
  return (
    kind &&
    finding && {
      draft: draftOf(kind, finding, result, reading),
      source: source ? `by ${shorten(source, maxSource)}` : places.byConfiguration,
      justification: entry.Statement,
    }
  )
}

const maxSource = 200

const refuse = (version: string) => ({
  problems: [
    {
      type: 'Format',
      message: `SchemaVersion ${version.slice(0, 40)} of Trivy's reports is unknown; 1 and 2 can be read`,
      pointer: '/SchemaVersion',
    },
  ],
})

interface Reading extends OpenOptions {
  reportType: ReportType
  version: string
  scanner: Scanner
  report: JsonObject
  results: readonly unknown[]
  identifiersOf: IdentifierReader
}

/** Recognises language lock files by type. Reports of schema version 1 do not state what was scanned. */
const isOfFiles = ({ Type }: JsonObject): boolean =>
  /^(?:bundler|cargo|composer|npm|nuget|pip|pipenv|poetry|yarn|pnpm|gomod|gobinary|jar|pom|gradle)$/.test(String(Type))

const drafts: Record<FindingKind, (entry: JsonObject, result: JsonObject, reading: Reading) => FindingDraft> = {
  Vulnerabilities: (entry, result, { reportType, report, scanner, version, identifiersOf, scoreOf }) => {
    const ids = [entry.VulnerabilityID, ...listOf(entry.VendorIDs)].map(textOf).filter((id) => id !== undefined)
    const cvss = vectorsOf(entry.CVSS)
    const dependency = { package: { name: textOf(entry.PkgName) ?? '' }, version: textOf(entry.InstalledVersion) ?? '' }
    const fixed = textOf(entry.FixedVersion)
    const ecosystem = ecosystemOf(textOf(result.Type))
    return {
      reportType,
      scanner,
      identifiers: identifiersOf([...ids.map(vulnerabilityId), ...weaknessIds(listOf(entry.CweIDs))], ''),
      location:
        reportType === 'dependency_scanning'
          ? { file: textOf(entry.PkgPath) ?? textOf(result.Target) ?? '', dependency }
          : {
              dependency,
              operating_system: operatingSystem(report, result),
              image: textOf(report.ArtifactName) ?? textOf(result.Target)?.replace(/ \([^()]*\)$/, '') ?? '',
            },
      name: textOf(entry.Title) ?? `${ids[0] ?? 'Vulnerability'} in ${dependency.package.name}`,
      description: textOf(entry.Description),
      solution: fixed && `Upgrade ${dependency.package.name} to ${fixed}`,
      severity: gradeOn(severities, entry.Severity) ?? severityOfVectors(cvss, scoreOf) ?? 'unknown',
      links: [entry.PrimaryURL, ...listOf(entry.References)].filter(isText).map((url) => ({ url })),
      cvss,
      package:
        textOf(objectOf(entry.PkgIdentifier)?.PURL) ??
        packageIn(ecosystem, dependency.package.name, dependency.version),
      rawMetadata: JSON.stringify(entry),
      metadataVersion: version,
    }
  },
  Misconfigurations: (entry, result, { scanner, version, identifiersOf }) => {
    const cause = objectOf(entry.CauseMetadata) ?? {}
    const id = textOf(entry.AVDID) ?? textOf(entry.ID) ?? ''
    return {
      reportType: 'sast',
      scanner,
      identifiers: identifiersOf(
        [{ type: 'trivy_misconfiguration_id', name: id, value: id, url: entry.PrimaryURL }],
        '',
      ),
      location: codePlace(result, cause),
      name: textOf(entry.Title) ?? textOf(entry.Message),
      description: joined(entry.Description, entry.Message),
      solution: textOf(entry.Resolution),
      severity: gradeOn(severities, entry.Severity) ?? 'unknown',
      links: [entry.PrimaryURL, ...listOf(entry.References)].filter(isText).map((url) => ({ url })),
      codeExtract: objectsOf(objectOf(cause.Code)?.Lines)
        .map(({ Content }) => textOf(Content) ?? '')
        .join('\n'),
      rawMetadata: JSON.stringify(entry),
      metadataVersion: version,
    }
  },
  Secrets: (entry, result, { scanner, version, identifiersOf }) => {
    const id = textOf(entry.RuleID) ?? ''
    return {
      reportType: 'secret_detection',
      scanner,
      identifiers: identifiersOf([{ type: 'trivy_secret_id', name: id, value: id }], ''),
      location: { ...codePlace(result, entry), commit: unknownCommit },
      name: textOf(entry.Title),
      description: textOf(entry.Category) && `A secret of the category ${entry.Category} was found.`,
      severity: gradeOn(severities, entry.Severity) ?? 'unknown',
      rawMetadata: JSON.stringify(entry),
      metadataVersion: version,
    }
  },
}

/** Has no `unknown`, so that a CVSS score is used instead. */
const severities: ReadonlyMap<string, Severity> = new Map([
  ['critical', 'critical'],
  ['high', 'high'],
  ['medium', 'medium'],
  ['low', 'low'],
])

const codePlace = (result: JsonObject, { StartLine, EndLine }: JsonObject): JsonObject => ({
  file: textOf(result.Target) ?? '',
  ...linesOf(StartLine, EndLine),
})

function operatingSystem(report: JsonObject, result: JsonObject): string {
  const system = objectOf(objectOf(report.Metadata)?.OS)
  const name = [system?.Family, system?.Name].filter(isText).join(' ')
  return name || (/ \(([^()]+)\)$/.exec(textOf(result.Target) ?? '')?.[1] ?? 'Unknown')
}

function vectorsOf(value: unknown): CvssVector[] {
  return Object.entries(objectOf(value) ?? {}).flatMap(([vendor, entry]) =>
    ['V40Vector', 'V3Vector', 'V2Vector'].flatMap((key) => {
      const vector = textOf(objectOf(entry)?.[key])
      return vector ? [{ vendor, vector }] : []
    }),
  )
}

const joined = (...texts: unknown[]): string | undefined => {
  const different = [...new Set(texts.map(textOf).filter((text) => text !== undefined))]
  return different.length > 0 ? different.join('\n\n') : undefined
}

const isText = (value: unknown): value is string => textOf(value) !== undefined
