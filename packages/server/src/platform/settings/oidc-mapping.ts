import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** Gives administrator rights, or a role in a group, to users whose claim has the value. */
export interface MappingRule {
  /** Name of the claim; absent for the provider's claim of groups. */
  claim?: string
  value: string
  administrator?: true
  /** Full path of the group, and the role in it. */
  membership?: { group: string; role: MappedRole }
}

const mappedRoles = ['guest', 'planner', 'reporter', 'developer', 'maintainer', 'owner'] as const
type MappedRole = (typeof mappedRoles)[number]

const maxRules = 10_000
const maxBytes = 1024 * 1024

/** Reads rules from a JSON or YAML file. Throws an error whose message names the rule and what is wrong with it. */
export function readMapping(file: string): MappingRule[] {
  const text = readFileSync(file, 'utf8')
  if (text.length > maxBytes) throw new Error('the file is larger than 1 MiB')
  const rules: unknown = parse(text, { maxAliasCount: 0 })
  if (!Array.isArray(rules)) throw new Error('the file is not a list of rules')
  if (rules.length > maxRules) throw new Error(`there are more than ${maxRules} rules`)
  return rules.map(readRule)
}

const fields = ['claim', 'value', 'administrator', 'group', 'role']

function readRule(given: unknown, index: number): MappingRule {
  const place = `rule ${index + 1}`
  if (typeof given !== 'object' || given === null) throw new Error(`${place} is not an object`)
  const rule: Record<string, unknown> = { ...given }
  const unknown = Object.keys(rule).find((name) => !fields.includes(name))
  if (unknown !== undefined) throw new Error(`${place} has the unknown field ${JSON.stringify(unknown)}`)
  const { claim, administrator, group } = rule
  const value = String(rule['value'] ?? '')
  if (value === '') throw new Error(`${place} has no value`)
  if (claim !== undefined && (typeof claim !== 'string' || claim === ''))
    throw new Error(`${place}: claim is not a name`)
  const role = mappedRoles.find((name) => name === rule['role'])
  const hasMembership = group !== undefined || rule['role'] !== undefined
  if (hasMembership && (typeof group !== 'string' || group === '' || role === undefined)) {
    throw new Error(`${place} needs group and role together; role is one of ${mappedRoles.join(', ')}`)
  }
  if (administrator !== undefined && administrator !== true) throw new Error(`${place}: administrator can only be true`)
  if (administrator === undefined && !hasMembership) throw new Error(`${place} gives neither administrator nor a group`)
  return {
    value,
    ...(typeof claim === 'string' && { claim }),
    ...(administrator === true && { administrator }),
    ...(typeof group === 'string' && role && { membership: { group, role } }),
  }
}
