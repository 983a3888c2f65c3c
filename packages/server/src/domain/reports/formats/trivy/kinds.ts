import type { Item } from '../../reader/document.ts'
import { textOf } from '../fields/json-fields.ts'
import { shorten } from '../fields/shorten.ts'
import type { JsonObject } from '../report.ts'

/** Kinds of entries, each under a key of its own. */
export const kinds = [
  'Vulnerabilities',
  'Misconfigurations',
  'Secrets',
  'Licenses',
  'ExperimentalModifiedFindings',
] as const
export type Kind = (typeof kinds)[number]
export type FindingKind = Exclude<Kind, 'Licenses' | 'ExperimentalModifiedFindings'>

export const isOfFindings = (kind: Kind): kind is FindingKind =>
  kind !== 'Licenses' && kind !== 'ExperimentalModifiedFindings'

export const kindOf = ({ path }: Item): Kind => kinds.find((kind) => path.includes(kind)) ?? 'Vulnerabilities'

/** Returns the kind of a finding that an ignore file or a VEX document has taken out. */
export function modifiedKind({ Type, Status }: JsonObject): FindingKind | undefined {
  const isExcluded = Status === 'ignored' || Status === 'not_affected' || Status === 'fixed'
  return isExcluded ? modifiedKinds.get(String(Type)) : undefined
}

const modifiedKinds: ReadonlyMap<string, FindingKind> = new Map([
  ['vulnerability', 'Vulnerabilities'],
  ['misconfiguration', 'Misconfigurations'],
  ['secret', 'Secrets'],
])

/** Returns the kind of an entry that is a finding, or the reason why it is none. */
export function findingKind(kind: Kind, { Status, Name }: JsonObject): { kind: FindingKind } | { reason: string } {
  if (kind === 'Licenses') return { reason: `a licence is no vulnerability${named(Name)}` }
  if (kind === 'ExperimentalModifiedFindings') {
    return { reason: `a rule of the scanner’s configuration took it out${named(Status)}` }
  }
  if (Status === 'not_affected') return { reason: 'the report says that the product is not affected' }
  if (Status === 'PASS') return { reason: 'the check passed' }
  return Status === 'EXCEPTION' ? { reason: 'an exception was made for it' } : { kind }
}

const named = (value: unknown): string => {
  const name = textOf(value)
  return name === undefined ? '' : ` (${shorten(name, 100)})`
}
