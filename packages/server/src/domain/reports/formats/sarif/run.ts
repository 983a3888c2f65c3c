import type { ReportType } from '../../../vulnerabilities/scales.ts'
import { scannerOf } from '../header.ts'
import type { IdentifierReader } from '../identifiers.ts'
import { listOf, objectOf, objectsOf, textOf } from '../json-fields.ts'
import type { JsonObject, Scanner } from '../report.ts'
import type { OpenOptions } from '../report-format.ts'
import { slugOf } from '../slug.ts'

/** What the results of one run are read with. */
export interface Run extends OpenOptions {
  scanner: Scanner
  version: string
  /** The type of the rules' identifiers, as GitLab's analyzers name it where they know the tool. */
  ruleType: string
  identifiersOf: IdentifierReader
  ruleOf: (result: JsonObject) => JsonObject | undefined
  /** Texts that all rules share, by their ids. */
  sharedMessages: JsonObject
  /** The file at this place of the run's list. */
  artifactOf: (index: unknown) => JsonObject | undefined
  bases: ReadonlyMap<string, string>
  /** The absolute addresses among them that are relative to nothing. */
  roots: readonly string[]
  image: string | undefined
}

export function startRun(run: JsonObject, options: OpenOptions & { identifiersOf: IdentifierReader }): Run {
  const tool = objectOf(run.tool) ?? {}
  const driver = objectOf(tool.driver) ?? {}
  const name = textOf(driver.name)?.trim() ?? 'Unknown tool'
  const vendor = textOf(driver.organization) ?? name
  const id = slugOf(name)
  const version = textOf(driver.semanticVersion) ?? textOf(driver.version)
  const extensions = objectsOf(tool.extensions)
  const artifacts = listOf(run.artifacts)
  const bases = objectOf(run.originalUriBaseIds) ?? {}
  return {
    ...options,
    scanner: scannerOf(id, name, vendor, version),
    version: '2.1.0',
    ruleType: ruleTypes[id] ?? `${id.replace(/[^a-z0-9]+/g, '_')}_rule_id`,
    ruleOf: indexRules(driver, extensions),
    sharedMessages: Object.assign({}, ...[...extensions, driver].map((part) => objectOf(part.globalMessageStrings))),
    artifactOf: (index) => (typeof index === 'number' ? objectOf(artifacts[index]) : undefined),
    bases: resolveBases(bases),
    roots: Object.values(bases).flatMap((base) => rootOf(objectOf(base) ?? {})),
    image: textOf(objectOf(run.properties)?.imageName),
  }
}

const ruleTypes: Record<string, string> = {
  semgrep: 'semgrep_id',
  gitleaks: 'gitleaks_rule_id',
  bandit: 'bandit_test_id',
  kics: 'kics_id',
}

/** Tools that look for nothing but secrets. */
const secretTools =
  /^(?:gitleaks|trufflehog|detect-secrets|ggshield|gitguardian|kingfisher|whispers|talisman|secretlint)/

/**
 * What the results of a run can be: secrets when the tool looks for nothing else, else code; what names its package is a
 * finding in a dependency, or in an image when the run says that it looked at one.
 */
export function typesOfRun(run: Run): ReportType[] {
  if (run.reportType) return [run.reportType]
  return secretTools.test(run.scanner.externalId)
    ? ['secret_detection']
    : packageTools.test(run.scanner.externalId)
      ? [packageType(run)]
      : ['sast']
}

const packageTools = /^(?:trivy|grype)$/

const packageType = ({ image }: Run): ReportType => (image === undefined ? 'dependency_scanning' : 'container_scanning')

/** The type of one result: Trivy mixes them and says with the rule what kind each is of. */
export function typeOfResult(run: Run, tags: readonly string[], packageName: string | undefined): ReportType {
  const [type = 'sast'] = typesOfRun(run)
  if (run.reportType || (type !== 'dependency_scanning' && type !== 'container_scanning')) return type
  if (tags.includes('secret')) return 'secret_detection'
  return packageName === undefined ? 'sast' : type
}

/** Finds the description of a result's rule: by its index, else by its id, of which a part may be its own. */
function indexRules(driver: JsonObject, extensions: readonly JsonObject[]): Run['ruleOf'] {
  const byId = new Map<string, JsonObject>()
  const byGuid = new Map<string, JsonObject>()
  for (const rule of [driver, ...extensions].flatMap(({ rules }) => objectsOf(rules))) {
    if (typeof rule.id === 'string' && !byId.has(rule.id)) byId.set(rule.id, rule)
    if (typeof rule.guid === 'string') byGuid.set(rule.guid.toLowerCase(), rule)
  }
  return (result) => {
    const reference = objectOf(result.rule) ?? {}
    const guided = typeof reference.guid === 'string' ? byGuid.get(reference.guid.toLowerCase()) : undefined
    if (guided) return guided
    const component = componentOf(objectOf(reference.toolComponent), driver, extensions)
    const id = idOf(result)
    const index = typeof reference.index === 'number' ? reference.index : result.ruleIndex
    const indexed = typeof index === 'number' ? objectOf(listOf(component?.rules)[index]) : undefined
    // An index that contradicts the id is a mistake of the tool.
    if (indexed && (id === undefined || covers(indexed.id, id))) return indexed
    return id === undefined ? undefined : (byId.get(id) ?? byId.get(id.slice(0, Math.max(id.lastIndexOf('/'), 0))))
  }
}

/** The part of the tool that a reference means; without a reference, its driver. */
function componentOf(
  reference: JsonObject | undefined,
  driver: JsonObject,
  extensions: readonly JsonObject[],
): JsonObject | undefined {
  if (!reference) return driver
  const { index, guid, name } = reference
  if (typeof index === 'number' && index >= 0) return extensions[index]
  const all = [driver, ...extensions]
  const guided = textOf(guid)?.toLowerCase()
  const named = guided === undefined ? textOf(name) : undefined
  if (guided === undefined && named === undefined) return driver
  return all.find((part) => (guided === undefined ? part.name === named : textOf(part.guid)?.toLowerCase() === guided))
}

export const idOf = (result: JsonObject): string | undefined =>
  textOf(result.ruleId) ?? textOf(objectOf(result.rule)?.id)

/** `CA1000/1` is a case of `CA1000`. */
const covers = (ruleId: unknown, id: string): boolean => ruleId === id || id.startsWith(`${ruleId}/`)

/** What relative addresses are relative to; a cycle ends where it begins to repeat. */
function resolveBases(bases: JsonObject): Map<string, string> {
  const resolved = new Map<string, string>()
  for (const name of Object.keys(bases)) {
    let uri = ''
    const seen = new Set<string>()
    for (let at: string | undefined = name; at !== undefined && !seen.has(at); ) {
      seen.add(at)
      const base: JsonObject = objectOf(bases[at]) ?? {}
      uri = joinUri(textOf(base.uri) ?? '', uri)
      at = textOf(base.uriBaseId)
    }
    resolved.set(name, uri)
  }
  return resolved
}

function rootOf({ uri, uriBaseId }: JsonObject): string[] {
  const root = textOf(uri)
  return root !== undefined && uriBaseId === undefined && isAbsolute(root)
    ? [root.endsWith('/') ? root : `${root}/`]
    : []
}

const isAbsolute = (uri: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(uri) || uri.startsWith('/')

export function joinUri(base: string, uri: string): string {
  if (base === '' || isAbsolute(uri)) return uri
  return base.endsWith('/') || uri === '' ? base + uri : `${base}/${uri}`
}
