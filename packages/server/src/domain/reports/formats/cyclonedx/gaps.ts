import type { Gaps } from '../gaps.ts'
import { listOf, objectOf, objectsOf, textOf } from '../json-fields.ts'
import type { JsonObject } from '../report.ts'

/** Adds what a bill says of itself that it does not know. */
export function addGaps(root: JsonObject, gaps: Gaps): void {
  for (const [index, { aggregate }] of objectsOf(root.compositions).entries()) {
    const isIncomplete = typeof aggregate === 'string' && aggregate.startsWith('incomplete')
    if (isIncomplete) gaps.add({}, 'the bill says that it is incomplete', `/compositions/${index}`)
  }
}

/** Returns why an entry may stand for another finding than it names. */
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

/** The components that an entry affects; `undefined` stands for one that cannot be read. */
export const affectedIn = ({ affects = [] }: JsonObject): (JsonObject | undefined)[] | undefined =>
  Array.isArray(affects) ? listOf(affects).map(objectOf) : undefined
