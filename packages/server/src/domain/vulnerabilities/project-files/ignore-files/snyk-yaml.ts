import { InvalidProjectFile } from '../project-file.ts'
import { dayOf, isObject, openRules, type ParsedRules, type Rules, textOf } from './ignored.ts'
import { readYaml } from './read-yaml.ts'

/** Parses the mapping `ignore` of `.snyk`: identifiers, each with a list of paths. */
export function parseSnyk(text: string): ParsedRules {
  const rules = openRules('.snyk')
  const file = readYaml(text)
  for (const name of ['patch', 'exclude']) {
    const value = file.value[name]
    if (isObject(value) && Object.keys(value).length > 0)
      rules.warn(file.lineOf([name]), `${name} concerns the scans of Snyk and has no effect here`)
  }
  const ignored = file.value['ignore']
  if (ignored === undefined || ignored === null) return rules.parsed
  if (!isObject(ignored)) throw new InvalidProjectFile(file.lineOf(['ignore']), 'ignore must be a mapping')
  for (const [id, entries] of Object.entries(ignored)) {
    const line = file.lineOf(['ignore', id])
    textOf(id, line, 'the identifier')
    if (!Array.isArray(entries)) throw new InvalidProjectFile(line, `${id} must have a list of paths`)
    for (const [index, entry] of entries.entries()) {
      const at = file.lineOf(['ignore', id, index])
      if (!isObject(entry)) throw new InvalidProjectFile(at, `a path of ${id} must be a mapping`)
      for (const [path, details] of Object.entries(entry)) readPath(rules, { id, path, details, line: at })
    }
  }
  return rules.parsed
}

interface IgnoredPath {
  id: string
  path: string
  details: unknown
  line: number
}

function readPath(rules: Rules, { id, path, details, line }: IgnoredPath): undefined {
  if (!isObject(details ?? {}))
    throw new InvalidProjectFile(line, `the path ${path.slice(0, 100)} of ${id} must be a mapping`)
  const { reason, expires } = (details ?? {}) as Record<string, unknown> // just checked
  const until = dayOf(expires, line, 'expires')
  const comment = textOf(reason, line, 'reason')
  // Other paths are chains of dependencies, which findings do not have.
  if (path !== '*')
    return rules.warn(line, `${id}: only the path * can be expressed by a rule, so the entry has no effect`)
  rules.ignore({ line, title: id, match: { identifiers: [id], scanners: ['snyk'] }, comment, until })
}
