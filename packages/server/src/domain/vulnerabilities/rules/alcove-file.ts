import { isNode, LineCounter, parseDocument } from 'yaml'
import { Failure } from '../../../platform/failure.ts'
import { isDeepYaml, repeatedKey } from '../../../platform/yaml-depth.ts'
import type { Deps } from '../../deps.ts'
import type { Project } from '../../projects/project.ts'
import { assertRule } from './assert-rule.ts'
import { type ReadRule, type RuleProblem, readRule } from './read-rule.ts'
import { resolveRule } from './resolve-rule.ts'
import type { RuleDraft } from './rule.ts'

/*
 * The file `alcove.yml` has rules for vulnerabilities of the project in the order in which they apply, with the names of
 * the API:
 *
 *     version: 1
 *     rules:
 *       - name: Test code
 *         match:
 *           path: [test/**, "**\/fixtures/**"]
 *         action:
 *           dismiss:
 *             reason: used_in_tests
 *             until: 2027-06-30
 */

/** What is wrong with a file, and in which line, from 1. */
export interface FileProblem {
  line: number
  message: string
}

/** A rule of a file, and the line in which it begins. */
export interface FileRule {
  rule: ReadRule
  line: number
}

export type ParsedFile = { rules: readonly FileRule[] } | { problems: readonly FileProblem[] }

const maxBytes = 256 * 1024
const maxLevels = 20
const maxRules = 500
const maxProblems = 20

/** Parses an `alcove.yml`. Without problems, all of its rules are valid but for their assignees. */
export function parseAlcoveFile(text: string, now: string): ParsedFile {
  if (Buffer.byteLength(text) > maxBytes) return failed(1, `the file is larger than ${maxBytes / 1024} KiB`)
  if (isDeepYaml(text, maxLevels)) return failed(1, 'the file is nested too deeply')
  const lineCounter = new LineCounter()
  const document = parseDocument(text, {
    ...{ schema: 'core', logLevel: 'error', stringKeys: true, lineCounter },
    // Describing the place of each error takes time in proportion to the whole text, and so does each comparison of keys.
    ...{ prettyErrors: false, uniqueKeys: false },
  })
  const [error] = [...document.errors, ...document.warnings]
  if (error) return failed(lineCounter.linePos(error.pos[0]).line, firstLine(error.message))
  const repeated = repeatedKey(document)
  if (repeated !== undefined) return failed(lineCounter.linePos(repeated).line, 'Map keys must be unique')
  let value: unknown
  try {
    // Aliases could expand to gigabytes.
    value = document.toJS({ maxAliasCount: 0 })
  } catch {
    return failed(1, 'the file has anchors with aliases, which are not permitted')
  }
  const lineOf = (path: RuleProblem['path']): number => {
    for (let length = path.length; length >= 0; length--) {
      const node = document.getIn(path.slice(0, length), true)
      if (isNode(node) && node.range) return lineCounter.linePos(node.range[0]).line
    }
    return 1
  }
  return readFile(value, lineOf, now)
}

const failed = (line: number, message: string): ParsedFile => ({ problems: [{ line, message }] })

/** The message of the parser goes on with the lines of the file. */
const firstLine = (message: string): string => (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:$/, '')

function readFile(value: unknown, lineOf: (path: RuleProblem['path']) => number, now: string): ParsedFile {
  const problems: FileProblem[] = []
  const report = (path: RuleProblem['path'], message: string) => {
    if (problems.length < maxProblems) problems.push({ line: lineOf(path), message: `${nameOf(path)} ${message}` })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return failed(1, 'the file must have the keys version and rules')
  }
  const { version, rules, ...others } = value as Record<string, unknown> // of a mapping
  for (const name of Object.keys(others)) report([name], 'is not known; there are version and rules')
  if (version !== 1) report(['version'], 'must be 1')
  if (!Array.isArray(rules)) report(['rules'], 'must be a list')
  const list: unknown[] = Array.isArray(rules) ? rules : []
  if (list.length > maxRules) return failed(lineOf(['rules', maxRules]), `there are more than ${maxRules} rules`)
  const read = list.flatMap((one, index): FileRule[] => {
    const before = problems.length
    const rule = readRule(one, ['rules', index], report)
    if (!rule || problems.length > before) return []
    const problem = problemOf(rule, now)
    if (problem !== undefined) report(['rules', index], problem)
    return [{ rule, line: lineOf(['rules', index]) }]
  })
  return problems.length > 0 ? { problems } : { rules: read }
}

/** Names the place of a problem, such as `rules[0].match.path`. */
const nameOf = (path: RuleProblem['path']): string =>
  path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    return name === '' ? part : `${name}.${part}`
  }, '')

/** Returns what is wrong with a rule as a whole. An assignee, whose id is not known yet, is an effect. */
function problemOf({ assignee, ...rule }: ReadRule, now: string): string | undefined {
  try {
    const action = assignee === undefined ? rule.action : { ...rule.action, assigneeId: 0 }
    assertRule({ ...rule, action }, now, { mayHaveEnded: true })
    return undefined
  } catch (error) {
    if (!(error instanceof Failure) || error.cause.kind !== 'invalid') throw error
    const [[attribute, [message] = []] = []] = Object.entries(error.cause.attributes)
    return `${attribute}: ${message}`
  }
}

/** Returns the rules of a file with the ids of their assignees. Rules without a valid assignee are problems instead. */
export async function resolveFileRules(
  deps: Deps,
  project: Project,
  rules: readonly FileRule[],
): Promise<{ rules: RuleDraft[]; problems: FileProblem[] }> {
  const resolved: RuleDraft[] = []
  const problems: FileProblem[] = []
  for (const { rule, line } of rules) {
    try {
      resolved.push(await resolveRule(deps, { kind: 'project', id: project.id }, rule))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      problems.push({ line, message: `${rule.assignee} is not a user who may triage vulnerabilities of the project` })
    }
  }
  return { rules: resolved, problems }
}
