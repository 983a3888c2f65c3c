import type { ReportType } from '../../../findings/scales.ts'
import type { IdentifierReader } from '../fields/identifiers.ts'
import { listOf, objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { slugOf } from '../fields/slug.ts'
import { scannerOf } from '../header.ts'
import type { JsonObject, Scanner } from '../report.ts'
import type { OpenOptions } from '../report-format.ts'

/** Context for reading the results of a run. */
export interface Run extends OpenOptions {
  scanner: Scanner
  version: string
  /** Type of the rules' identifiers, the same as GitLab's analyzers use for known tools. */
  ruleType: string
  identifiersOf: IdentifierReader
  ruleOf: (result: JsonObject) => JsonObject | undefined
  /** Messages shared by all rules, by id. */
  sharedMessages: JsonObject
  /** Returns the artifact at this index of the run. */
  artifactOf: (index: unknown) => JsonObject | undefined
  bases: ReadonlyMap<string, string>
  /** Absolute base addresses that are relative to no other one. */
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
    ruleType: ruleTypes.get(id) ?? `${id.replace(/[^a-z0-9]+/g, '_')}_rule_id`,
    ruleOf: indexRules(driver, extensions),
    sharedMessages: Object.assign({}, ...[...extensions, driver].map((part) => objectOf(part.globalMessageStrings))),
    artifactOf: (index) => (typeof index === 'number' ? objectOf(artifacts[index]) : undefined),
    bases: resolveBases(bases),
    roots: Object.values(bases).flatMap((base) => rootOf(objectOf(base) ?? {})),
    image: textOf(objectOf(run.properties)?.imageName),
  }
}

const ruleTypes: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    semgrep: 'semgrep_id',
    gitleaks: 'gitleaks_rule_id',
    bandit: 'bandit_test_id',
    kics: 'kics_id',
  }),
)

/** Tools that detect only secrets. */
const secretTools =
  /^(?:gitleaks|trufflehog|detect-secrets|ggshield|gitguardian|kingfisher|whispers|talisman|secretlint)/

/**
 * Returns the report types that a run covers: secrets for tools that detect only secrets, packages for package
 * scanners, in a container image if the run names one, otherwise code.
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

/** Returns the type of a result. Trivy mixes types in a run and tags the rules with them. */
export function typeOfResult(run: Run, tags: readonly string[], packageName: string | undefined): ReportType {
  const [type = 'sast'] = typesOfRun(run)
  if (run.reportType || (type !== 'dependency_scanning' && type !== 'container_scanning')) return type
  if (tags.includes('secret')) return 'secret_detection'
  return packageName === undefined ? 'sast' : type
}

/** Returns a lookup for the rule of a result: by guid, by index, by id, or by the id without its last part. */
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
    // Ignore an index that contradicts the id.
    if (indexed && (id === undefined || covers(indexed.id, id))) return indexed
    return id === undefined ? undefined : (byId.get(id) ?? byId.get(id.slice(0, Math.max(id.lastIndexOf('/'), 0))))
  }
}

/** Returns the tool component that a reference names; without a reference, the driver. */
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

/** Returns true for the rule itself and for its cases: `CA1000/1` is a case of `CA1000`. */
const covers = (ruleId: unknown, id: string): boolean => ruleId === id || id.startsWith(`${ruleId}/`)

/** Resolves base addresses that are relative to others. Stops at a cycle. */
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
