import type { ReportProblem } from '../../../../platform/failure.ts'
import type { DocumentContext } from '../../reader/document.ts'
import { listOf, objectOf, objectsOf, textOf, textsOf } from '../fields/json-fields.ts'
import { slugOf } from '../fields/slug.ts'
import { chooseType, plainScan, scannerOf, toolHeader } from '../header.ts'
import { artifactName } from '../identity/artifacts.ts'
import { type Inventory, startDependencies } from '../inventory.ts'
import { type Check, findProblems, list, object, text } from '../problems/checks.ts'
import type { JsonObject, Scanner } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'
import { readGraph } from './graph.ts'
import { statedLicenses } from './licenses.ts'

const packages = ['packages', '*']
const graph = ['@graph', '*']

/** SPDX documents: 2.2 and 2.3 as JSON, and 3.0 as JSON-LD. They list packages and contain no findings. */
export const spdx: ReportFormat = {
  name: 'spdx',
  recognises: (root) => {
    const { spdxVersion, '@context': context } = objectOf(root) ?? {}
    return typeof spdxVersion === 'string' || textsOf(context).some((url) => url.includes('spdx.org/rdf/3.'))
  },
  items: [],
  parts: [packages, graph],
  omits: [
    ['files', '*'],
    ['relationships', '*'],
    ['snippets', '*'],
    ['hasExtractedLicensingInfos', '*'],
  ],
  open,
}

const possibleTypes = ['dependency_scanning', 'container_scanning'] as const

function open(context: DocumentContext, options: OpenOptions): OpenedReport | { problems: ReportProblem[] } {
  const root = objectOf(context.rest.value) ?? {}
  const isGraph = root['@context'] !== undefined
  const version = isGraph ? '3.0' : String(root.spdxVersion).replace(/^SPDX-/, '')
  if (!isGraph && !/^2\.[23]$/.test(version)) {
    const message = `spdxVersion is ${version.slice(0, 40)}; the JSON of SPDX 2.2, 2.3 and 3.0 can be read`
    return { problems: [{ type: 'Format', message, pointer: '/spdxVersion' }] }
  }
  const chosen = chooseType('SPDX', options.reportType, 'dependency_scanning', possibleTypes)
  if ('problems' in chosen) return chosen
  options.gaps.add({}, 'the report lists packages and no vulnerabilities', '')
  const creation = objectOf(root.creationInfo) ?? {}
  const scanner = scannerFrom(creation)
  const source = artifactName(root.name) ?? ''
  return {
    header: toolHeader({ format: 'spdx', version, ...chosen, scanner, scan: plainScan(creation.created) }),
    problems: isGraph ? [] : findProblems(documentCheck, root),
    warnings: [],
    mixesScanners: false,
    artifact: () => artifactName(root.name),
    inventory: isGraph ? readGraph(options) : readPackages(root, source, options),
    check: () => [],
    read: () => [],
  }
}

/** Returns the first tool among the creators, such as `Tool: syft-1.2.3`. */
function scannerFrom({ creators }: JsonObject): Scanner {
  const tool = textsOf(creators).find((creator) => creator.startsWith('Tool:'))
  const written = tool?.slice('Tool:'.length).trim() || 'SPDX'
  const dash = written.lastIndexOf('-')
  const isVersioned = dash > 0 && /^v?\d/.test(written.slice(dash + 1))
  const [name, version] = isVersioned ? [written.slice(0, dash), written.slice(dash + 1)] : [written, undefined]
  return scannerOf(slugOf(name) || 'spdx', name, name, version)
}

function readPackages(root: JsonObject, source: string, { tally }: OpenOptions): Inventory {
  const dependencies = startDependencies(tally)
  const described = new Set(listOf(root.documentDescribes))
  return {
    source,
    check: (value, { pointer }) => findProblems(packageCheck, value, pointer.slice(1).split('/')),
    read(entry, { pointer, path }) {
      if (path !== packages || described.has(entry.SPDXID)) return
      const packageUrl = packageUrlOf(entry)
      if (packageUrl === undefined && !isLibrary(entry)) return
      dependencies.add(
        {
          name: textOf(entry.name) ?? '',
          version: textOf(entry.versionInfo) ?? '',
          packageUrl,
          licenses: statedLicenses(entry.licenseConcluded, entry.licenseDeclared),
        },
        pointer,
      )
    },
    list: dependencies.all,
  }
}

/** Returns the package URL, unless it is that of the image that the document describes. */
function packageUrlOf({ externalRefs }: JsonObject): string | undefined {
  const ref = objectsOf(externalRefs).find(({ referenceType }) => referenceType === 'purl')
  const url = textOf(ref?.referenceLocator)
  return url !== undefined && /^pkg:(?:oci|docker)\//.test(url) ? undefined : url
}

/** Returns whether a package without a package URL is a library. Documents of version 2.2 state no purpose. */
function isLibrary({ primaryPackagePurpose: purpose, SPDXID: id }: JsonObject): boolean {
  if (typeof id === 'string' && id.startsWith('SPDXRef-DocumentRoot')) return false
  return purpose === undefined || purpose === 'LIBRARY' || purpose === 'FRAMEWORK'
}

const packageCheck: Check = object({
  required: ['SPDXID', 'name'],
  properties: { SPDXID: text(), name: text(), versionInfo: text(), externalRefs: list(object({})) },
})

const documentCheck: Check = object({
  required: ['spdxVersion', 'name', 'packages'],
  properties: { spdxVersion: text(), name: text(), packages: list(() => {}), creationInfo: object({}) },
})
