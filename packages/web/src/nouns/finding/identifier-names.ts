import type { Schemas } from '@alcove/client'

type Identifier = Pick<Schemas['Finding']['identifiers'][number], 'external_type' | 'name'>

const isCve = ({ external_type }: Identifier) => external_type.toLowerCase() === 'cve'

/** Returns the names in the order of the report, those of CVEs first. */
export function identifierNames(identifiers: readonly Identifier[]): string[] {
  return [...identifiers].sort((a, b) => Number(isCve(b)) - Number(isCve(a))).map(({ name }) => name)
}
