import { textOf } from '../fields/json-fields.ts'

/** Returns the first of these license expressions that states something. */
export function statedLicenses(...expressions: readonly unknown[]): string[] {
  const stated = expressions.map(textOf).find((text) => text !== undefined && !/^(?:NOASSERTION|NONE)$/.test(text))
  return stated === undefined ? [] : [stated.trim()]
}
