import type { RuleMatch } from '../../rules/rule.ts'
import { InvalidProjectFile } from '../project-file.ts'
import { isObject, isPlainGlob, onlyVersion, openRules, type ParsedRules, type Rules, textOf } from './ignored.ts'
import { readYaml } from './read-yaml.ts'

/** Parses the list `ignore` of `.grype.yaml`. The other settings of Grype concern its scans. */
export function parseGrypeYaml(text: string): ParsedRules {
  const rules = openRules('.grype.yaml')
  const file = readYaml(text)
  const entries = file.value['ignore']
  if (entries === undefined || entries === null) return rules.parsed
  if (!Array.isArray(entries)) throw new InvalidProjectFile(file.lineOf(['ignore']), 'ignore must be a list')
  for (const [index, entry] of entries.entries()) readEntry(rules, entry, file.lineOf(['ignore', index]))
  return rules.parsed
}

/** Names of an entry that rules can express; `include-aliases` is what they do in any case. */
const known = new Set(['vulnerability', 'include-aliases', 'reason', 'fix-state', 'package'])
const knownOfPackage = new Set(['name', 'version', 'location'])

function readEntry(rules: Rules, entry: unknown, line: number): undefined {
  if (!isObject(entry)) throw new InvalidProjectFile(line, 'an entry of ignore must be a mapping')
  const id = textOf(entry['vulnerability'], line, 'vulnerability')
  const shown = id ?? 'an entry'
  const package_ = entry['package'] ?? {}
  if (!isObject(package_)) throw new InvalidProjectFile(line, 'package must be a mapping')
  const unknown = [
    ...namesOf(entry).filter((name) => !known.has(name)),
    ...namesOf(package_).filter((name) => !knownOfPackage.has(name)),
  ]
  if (unknown.length > 0) {
    return rules.warn(line, `${shown}: ${unknown.join(', ')} cannot be expressed by a rule, so the entry has no effect`)
  }
  const match = readConditions(entry, package_, line)
  if (typeof match === 'string') return rules.warn(line, `${shown}: ${match}, so the entry has no effect`)
  if (Object.keys(match).length === 0) return rules.warn(line, 'an entry without conditions has no effect')
  const title = id ?? match.packages?.[0] ?? match.paths?.[0] ?? 'all with a fix'
  const comment = textOf(entry['reason'], line, 'reason')
  rules.ignore({ line, title, match: { ...match, scanners: ['grype'] }, comment })
}

const namesOf = (entry: Record<string, unknown>): string[] =>
  Object.entries(entry).flatMap(([name, value]) => (value === null || value === '' ? [] : name))

/** Returns the conditions of an entry, or why a rule cannot express them. */
function readConditions(
  entry: Record<string, unknown>,
  package_: Record<string, unknown>,
  line: number,
): RuleMatch | string {
  const read = (from: Record<string, unknown>, name: string) => textOf(from[name], line, name)
  const [id, state] = [read(entry, 'vulnerability'), read(entry, 'fix-state')]
  const [name, version, location] = [read(package_, 'name'), read(package_, 'version'), read(package_, 'location')]
  // Only whether there is a fix is known here; Grype has three states without one.
  if (state !== undefined && state !== 'fixed')
    return `fix-state ${state} cannot be told from the other states without a fix`
  if (name !== undefined && /[*^$()|[\]\\?]/.test(name)) return 'a pattern as the name of a package is not supported'
  if (location !== undefined && !isPlainGlob(location)) return 'a location with [], {}, ! or \\ is not supported'
  const versionRange = version === undefined ? undefined : onlyVersion(version)
  if (version !== undefined && versionRange === undefined) return `the version ${version} is not comparable`
  return {
    ...(id !== undefined && { identifiers: [id] }),
    ...(state !== undefined && { hasFix: true }),
    ...(name !== undefined && { packages: [name] }),
    ...(versionRange !== undefined && { versionRange }),
    ...(location !== undefined && { paths: [location] }),
  }
}
