import { listOf, objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import type { Gaps } from '../gaps.ts'
import type { JsonObject } from '../report.ts'

/** Adds gaps for the compositions that are declared incomplete. */
export function addGaps(root: JsonObject, gaps: Gaps): void {
  for (const [index, { aggregate }] of objectsOf(root.compositions).entries()) {
    const isIncomplete = typeof aggregate === 'string' && aggregate.startsWith('incomplete')
    if (isIncomplete) gaps.add({}, 'the bill says that it is incomplete', `/compositions/${index}`)
  }
}

/** Returns the reason why an entry may represent another finding than its uuid says. */
export function doubtOf(
  vulnerability: JsonObject,
  affected: JsonObject | undefined,
  isListed: (ref: string) => boolean,
): string | undefined {
  if (!textOf(vulnerability.id)) return 'it names no vulnerability'
  if (!affected) return 'it names no component'
  const ref = textOf(affected.ref)
  if (ref === undefined) return 'it names no component'
  return isListed(ref) ? undefined : 'it affects a component that the report does not list'
}

/** Returns the components that an entry affects, `undefined` for unreadable ones. */
export const affectedIn = ({ affects = [] }: JsonObject): (JsonObject | undefined)[] | undefined =>
  Array.isArray(affects) ? listOf(affects).map(objectOf) : undefined
