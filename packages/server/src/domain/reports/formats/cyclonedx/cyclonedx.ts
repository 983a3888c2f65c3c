import type { ReportProblem } from '../../../../platform/failure.ts'
import type { ReportType } from '../../../findings/scales.ts'
import type { DocumentContext } from '../../reader/document.ts'
import { finishFinding } from '../draft.ts'
import { startIdentifiers } from '../fields/identifiers.ts'
import { listOf, objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { slugOf } from '../fields/slug.ts'
import { chooseType, plainScan, scannerOf, toolHeader } from '../header.ts'
import { artifactName } from '../identity/artifacts.ts'
import { findProblems, printWords } from '../problems/checks.ts'
import type { JsonObject, Scanner } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'
import { bomCheck, component, vulnerabilityCheck } from './check.ts'
import { indexComponents } from './components.ts'
import { addGaps, affectedIn } from './gaps.ts'
import { readComponents } from './inventory.ts'
import { draftOf, type Reading, reasonToSkip, reasonToSkipIn } from './vulnerability.ts'

/** CycloneDX documents: bills of materials with or without vulnerabilities. */
export const cyclonedx: ReportFormat = {
  name: 'cyclonedx',
  recognises: (root) => objectOf(root)?.bomFormat === 'CycloneDX',
  items: [['vulnerabilities', '*']],
  parts: [['components', '*']],
  omits: [['dependencies', '*']],
  open,
}

const versions = ['1.4', '1.5', '1.6', '1.7']

const possibleTypes: readonly ReportType[] = [
  'dependency_scanning',
  'container_scanning',
  'container_scanning_for_registry',
  'cluster_image_scanning',
]

function open(context: DocumentContext, options: OpenOptions): OpenedReport | { problems: ReportProblem[] } {
  const root = objectOf(context.rest.value) ?? {}
  const version = String(root.specVersion)
  if (!versions.includes(version))
    return refuse(
      '/specVersion',
      `specVersion is ${shown(root.specVersion)}, which is not one of: ${printWords(versions)}`,
    )
  if (!Array.isArray(root.vulnerabilities) && !Array.isArray(root.components)) {
    return refuse('', 'The bill of materials has neither a list of components nor one of vulnerabilities')
  }
  if (!Array.isArray(root.vulnerabilities)) options.gaps.add({}, 'it lists components and no vulnerabilities', '')
  const metadata = objectOf(root.metadata) ?? {}
  const subject = objectOf(metadata.component)
  const fallback = subject?.type === 'container' ? 'container_scanning' : 'dependency_scanning'
  const chosen = chooseType('CycloneDX', options.reportType, fallback, possibleTypes)
  if ('problems' in chosen) return chosen

  addGaps(root, options.gaps)
  const scanner = scannerFrom(metadata.tools)
  const index = indexComponents(root)
  const inputFile = propertyOf(metadata, 'gitlab:dependency_scanning:input_file:path')
  const reading: Reading = {
    ...options,
    ...chosen,
    version,
    scanner,
    subject: textOf(subject?.name) ?? '',
    inputFile,
    componentOf: index.of,
    identifiersOf: startIdentifiers(() => {}),
  }
  return {
    header: toolHeader({ format: 'cyclonedx', version, ...chosen, scanner, scan: plainScan(metadata.timestamp) }),
    problems: findProblems(bomCheck, root),
    warnings: [],
    mixesScanners: false,
    artifact: () => artifactOf(subject),
    inventory: readComponents(
      index,
      {
        source: [artifactOf(subject), inputFile].filter(Boolean).join(' '),
        inputFile,
        packageManager: propertyOf(metadata, 'gitlab:dependency_scanning:package_manager:name'),
      },
      { ...options, check: component },
    ),
    check: (value, { index }) => findProblems(vulnerabilityCheck, value, ['vulnerabilities', index]),
    // One flaw in three components is three findings, because it must be fixed in three places.
    *read(entry, { pointer }) {
      const settledBy = reasonToSkip(entry)
      const affects = affectedIn(entry) ?? [undefined]
      const rawText = startRawTexts(entry, affects.length)
      for (let index = 0; index < Math.max(1, affects.length); index++) {
        const affected = affects[index]
        const skip = settledBy ?? reasonToSkipIn(affected)
        const at = affects.length > 0 ? `${pointer}/affects/${index}` : pointer
        if (skip) yield { pointer: at, reason: skip, isSettled: true }
        else if (!affected && entry.affects !== undefined && affects.length > 0)
          yield { pointer: at, reason: 'what it affects cannot be read' }
        else
          yield finishFinding({ ...draftOf(entry, affected, at, reading), rawMetadata: rawText(affected) }, at, options)
      }
    },
  }
}

/** Maximum total size of the raw texts of an entry's findings. */
const maxRepeatedCharacters = 32 * 1024 * 1024

/** Builds the raw text of each finding: the whole entry, or the entry without other components if that is too large. */
function startRawTexts(entry: JsonObject, findings: number): (affected: JsonObject | undefined) => string {
  const whole = JSON.stringify(entry)
  if (whole.length * findings <= maxRepeatedCharacters) return () => whole
  const { affects: _affects, ...rest } = entry
  const isShort = JSON.stringify(rest).length * findings <= maxRepeatedCharacters
  const said = isShort ? rest : { 'bom-ref': entry['bom-ref'], id: entry.id }
  return (affected) => JSON.stringify({ ...said, affects: [affected] })
}

const refuse = (pointer: string, message: string) => ({ problems: [{ type: 'Schema', message, pointer }] })

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 40) ?? 'absent'

/** Returns the first tool. Up to 1.4 tools are a list, in later versions they may be components and services. */
function scannerFrom(tools: unknown): Scanner {
  const list = Array.isArray(tools)
    ? listOf(tools)
    : listOf(objectOf(tools)?.components).concat(objectOf(tools)?.services ?? [])
  const tool = objectsOf(list)[0]
  const name = textOf(tool?.name)
  if (!tool || !name) return scannerOf('cyclonedx', 'CycloneDX', 'Unknown', undefined)
  const maker = [tool.vendor, tool.publisher, nameIn(tool.supplier), nameIn(tool.manufacturer), tool.group]
  return scannerOf(slugOf(name), name, maker.map(textOf).find(Boolean) ?? name, tool.version)
}

/** Includes the group, because components of two groups may have the same name. */
const artifactOf = (subject: JsonObject | undefined): string | undefined =>
  artifactName([subject?.group, subject?.name].map(textOf).filter(Boolean).join('/'))

const nameIn = (value: unknown): unknown => objectOf(value)?.name

const propertyOf = (holder: JsonObject, name: string): string | undefined =>
  textOf(objectsOf(holder.properties).find((property) => property.name === name)?.value)
