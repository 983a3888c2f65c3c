import { parse, TomlError } from 'smol-toml'
import { buildPackageUrl } from '../../../findings/package-url.ts'
import { InvalidProjectFile } from '../project-file.ts'
import { dayOf, isObject, onlyVersion, openRules, type ParsedRules, type Rules, textOf } from './ignored.ts'

const scanners = ['osv-scanner']
const maxBytes = 64 * 1024
/** Maximum nesting of brackets. The parser is recursive, and the file needs three levels. */
const maxNesting = 50

/** Parses `IgnoredVulns` and `PackageOverrides` of `osv-scanner.toml`. */
export function parseOsvScannerToml(text: string): ParsedRules {
  const rules = openRules('osv-scanner.toml')
  const root = readToml(text)
  const lines = linesOfTables(text)
  for (const [entry, line] of tablesOf(root, 'IgnoredVulns', lines)) {
    const id = textOf(entry['id'], line, 'id')
    if (id === undefined) throw new InvalidProjectFile(line, 'an entry of IgnoredVulns has no id')
    const until = dayOf(entry['ignoreUntil'], line, 'ignoreUntil')
    const comment = textOf(entry['reason'], line, 'reason')
    rules.ignore({ line, title: id, match: { identifiers: [id], scanners }, comment, until })
  }
  for (const [entry, line] of tablesOf(root, 'PackageOverrides', lines)) readOverride(rules, entry, line)
  return rules.parsed
}

const typesOf: Readonly<Record<string, string>> = {
  npm: 'npm',
  PyPI: 'pypi',
  Go: 'golang',
  'crates.io': 'cargo',
  RubyGems: 'gem',
  NuGet: 'nuget',
  Packagist: 'composer',
  Maven: 'maven',
}

function readOverride(rules: Rules, entry: Record<string, unknown>, line: number): undefined {
  const [name, ecosystem, version] = ['name', 'ecosystem', 'version'].map((key) => textOf(entry[key], line, key))
  const vulnerability = isObject(entry['vulnerability']) ? entry['vulnerability'] : {}
  const until = dayOf(entry['effectiveUntil'], line, 'effectiveUntil')
  const comment = textOf(entry['reason'], line, 'reason')
  const shown = name ?? 'an override'
  const none = (reason: string) => rules.warn(line, `${shown}: ${reason}, so the override has no effect`)
  if (entry['ignore'] !== true && vulnerability['ignore'] !== true) return none('it ignores no vulnerabilities')
  if (name === undefined) return none('a rule needs the name of the package')
  if (textOf(entry['group'], line, 'group') !== undefined) return none('groups of dependencies are not known here')
  const versionRange = version === undefined ? undefined : onlyVersion(version)
  if (version !== undefined && versionRange === undefined) return none(`the version ${version} is not comparable`)
  const key = ecosystem === undefined ? name : keyOf(ecosystem, name)
  if (key === undefined) return none(`packages of ${ecosystem} are not supported`)
  const match = { packages: [key], scanners, ...(versionRange !== undefined && { versionRange }) }
  rules.ignore({ line, title: name, match, comment, until })
}

/** Returns the package URL of a package without its version. */
function keyOf(ecosystem: string, name: string): string | undefined {
  const type = typesOf[ecosystem]
  if (type === undefined) return undefined
  const parts = name.split(type === 'maven' ? ':' : '/')
  const last = parts.pop() ?? ''
  return buildPackageUrl({ type, namespace: parts.join('/') || undefined, name: last })?.key
}

function readToml(text: string): Record<string, unknown> {
  if (Buffer.byteLength(text) > maxBytes) throw new InvalidProjectFile(1, 'a TOML file may have up to 64 KiB')
  for (const [index, line] of text.split('\n').entries()) {
    if ((line.match(/[[{.]/g) ?? []).length > maxNesting)
      throw new InvalidProjectFile(index + 1, 'it is nested too deep')
  }
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof TomlError)
      throw new InvalidProjectFile(error.line, error.message.split('\n')[0] ?? 'it is not TOML')
    throw error
  }
}

/** Returns the lines of the headings of lists of tables, by their names. */
function linesOfTables(text: string): Map<string, number[]> {
  const lines = new Map<string, number[]>()
  for (const [index, line] of text.split('\n').entries()) {
    const heading = line.replaceAll(/\s/g, '')
    if (!heading.startsWith('[[')) continue
    const name = heading.slice(2, heading.indexOf(']'))
    const listed = lines.get(name)
    if (listed) listed.push(index + 1)
    else lines.set(name, [index + 1])
  }
  return lines
}

function* tablesOf(
  root: Record<string, unknown>,
  name: string,
  lines: ReadonlyMap<string, readonly number[]>,
): Generator<[Record<string, unknown>, number]> {
  const tables = root[name]
  if (tables === undefined) return
  const headings = lines.get(name) ?? []
  if (!Array.isArray(tables)) throw new InvalidProjectFile(headings[0] ?? 1, `${name} must be a list of tables`)
  for (const [index, table] of tables.entries()) {
    const line = headings[index] ?? 1
    if (!isObject(table)) throw new InvalidProjectFile(line, `an entry of ${name} must be a table`)
    yield [table, line]
  }
}
