import type { FindingDraft } from '../draft.ts'
import { severityOfVectors } from '../fields/cvss-score.ts'
import { packageIn } from '../fields/ecosystems.ts'
import type { IdentifierReader } from '../fields/identifiers.ts'
import { gradeOn, listOf, objectOf, objectsOf, textOf, textsOf } from '../fields/json-fields.ts'
import { severityWords } from '../fields/severity-words.ts'
import { type RawIdentifier, vulnerabilityId, weaknessIds } from '../fields/vulnerability-ids.ts'
import type { JsonObject, Scanner } from '../report.ts'
import type { OpenOptions } from '../report-format.ts'

/** An advisory about a package, as any of the package managers writes it. */
export interface Advisory {
  /** Number in the database of npm. */
  number: unknown
  name: string
  version: string
  /** Lock file or manifest; the reports name none. */
  file: string
  title: string | undefined
  description: string | undefined
  solution: string | undefined
  severity: unknown
  range: unknown
  url: unknown
  ids: unknown[]
  weaknesses: unknown[]
  vector: unknown
  raw: JsonObject
}

/** Maximum number of characters that the advisories of an entry repeat of it. */
const maxRepeated = 1024 * 1024

/** Reads the advisories of `npm audit`, which stand at the package that they are about. */
export function ofNpmEntry(entry: JsonObject, key: string): Advisory[] {
  const { via, ...whole } = entry
  const advisories = objectsOf(via)
  const isShort = JSON.stringify(whole).length * advisories.length <= maxRepeated
  return advisories.map((via) => ofNpm(via, entry, key, isShort ? whole : {}))
}

/** `common` is what each advisory keeps of its entry. */
function ofNpm(via: JsonObject, entry: JsonObject, key: string, common: JsonObject): Advisory {
  const name = textOf(via.dependency) ?? textOf(via.name) ?? textOf(entry.name) ?? key
  return {
    number: via.source,
    name,
    version: '',
    file: 'package-lock.json',
    title: textOf(via.title),
    description: textOf(via.title),
    solution: fixOf(name, entry.fixAvailable),
    severity: via.severity ?? entry.severity,
    range: via.range,
    url: via.url,
    ids: [],
    weaknesses: listOf(via.cwe),
    vector: objectOf(via.cvss)?.vectorString,
    raw: { ...common, via: [via] },
  }
}

function fixOf(name: string, fix: unknown): string | undefined {
  if (fix === true) return `Update ${name} with npm audit fix`
  const { name: parent, version } = objectOf(fix) ?? {}
  return textOf(parent) && textOf(version) ? `Upgrade ${parent} to ${version}` : undefined
}

/** Reads an advisory in the form of the registry: npm 6, pnpm and Yarn 1 to 3. */
export function ofRegistry(advisory: JsonObject, file: string): Advisory {
  const name = textOf(advisory.module_name) ?? ''
  const fixed = textOf(advisory.patched_versions)
  return {
    number: advisory.id,
    name,
    version: textOf(objectsOf(advisory.findings)[0]?.version) ?? '',
    file,
    title: textOf(advisory.title),
    description: textOf(advisory.overview) ?? textOf(advisory.title),
    solution:
      textOf(advisory.recommendation) ??
      (fixed !== undefined && fixed !== '<0.0.0' ? `Upgrade ${name} to ${fixed}` : undefined),
    severity: advisory.severity,
    range: advisory.vulnerable_versions,
    url: advisory.url,
    ids: [textOf(advisory.github_advisory_id), ...listOf(advisory.cves)],
    weaknesses: textsOf(advisory.cwe),
    vector: objectOf(advisory.cvss)?.vectorString,
    raw: advisory,
  }
}

/** Reads a line of `yarn npm audit` of Yarn 4. */
export function ofYarn(line: JsonObject, children: JsonObject): Advisory {
  return {
    number: children.ID,
    name: textOf(line.value) ?? '',
    version: textsOf(children['Tree Versions'])[0] ?? '',
    file: 'yarn.lock',
    title: textOf(children.Issue),
    description: textOf(children.Issue),
    solution: undefined,
    severity: children.Severity,
    range: children['Vulnerable Versions'],
    url: children.URL,
    ids: [],
    weaknesses: [],
    vector: undefined,
    raw: line,
  }
}

interface Reading extends OpenOptions {
  scanner: Scanner
  identifiersOf: IdentifierReader
}

export function draftOf(advisory: Advisory, { scanner, scoreOf, identifiersOf }: Reading): FindingDraft {
  const { name, version, file, title, range } = advisory
  const vector = textOf(advisory.vector)
  const cvss = vector === undefined ? [] : [{ vendor: 'npm', vector }]
  const ids = idsOf(advisory)
  const affected = textOf(range) && `Affected versions: ${range}`
  return {
    reportType: 'dependency_scanning',
    scanner,
    identifiers: identifiersOf([...ids, ...weaknessIds(advisory.weaknesses)], ''),
    location: { file, dependency: { package: { name }, version } },
    name: title ?? (ids[0] && `${ids[0].name} in ${name}`),
    description: [advisory.description, affected].filter(Boolean).join('\n\n'),
    solution: advisory.solution,
    severity: gradeOn(severityWords, advisory.severity) ?? severityOfVectors(cvss, scoreOf) ?? 'unknown',
    links: [advisory.url].filter((url) => textOf(url)).map((url) => ({ url })),
    cvss,
    package: packageIn('npm', name, version),
    doubt: doubtOf(ids, name),
    rawMetadata: JSON.stringify(advisory.raw),
    metadataVersion: '',
  }
}

/** Returns the ids with that of GitHub first, which all package managers state in the address. */
function idsOf({ number, url, ids }: Advisory): RawIdentifier[] {
  // Linear time: the text is short, and the repetition has a fixed length.
  const inAddress = /\/(GHSA(?:-[0-9a-z]{4}){3})$/i.exec(textOf(url)?.slice(-40) ?? '')?.[1]
  const all = [...new Set([inAddress, ...ids].filter((id) => textOf(id) !== undefined).map(String))]
  const own = typeof number === 'number' || textOf(number) ? String(number) : undefined
  return [
    ...all.map(vulnerabilityId),
    ...(own ? [{ type: 'npm_advisory', name: `npm advisory ${own}`, value: own }] : []),
  ]
}

function doubtOf(ids: readonly RawIdentifier[], name: string): string | undefined {
  if (ids.length === 0) return 'it names no advisory'
  return name ? undefined : 'it names no package'
}
