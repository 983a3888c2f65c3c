import { listOf, objectOf, textOf } from '../json-fields.ts'
import type { JsonObject } from '../report.ts'

/** The text of a message object. */
export const textIn = (message: unknown): string | undefined =>
  textOf(objectOf(message)?.text) ?? textOf(objectOf(message)?.markdown)

/** What a result says; by an id of its rule's messages, or of those that rules share, if not in its own words. */
export function messageOf(result: JsonObject, rule: JsonObject | undefined, shared: JsonObject): string | undefined {
  const message = objectOf(result.message) ?? {}
  const id = textOf(message.id)
  const strings = [objectOf(rule?.messageStrings) ?? {}, shared]
  const named = id === undefined ? undefined : strings.find((texts) => Object.hasOwn(texts, id))?.[id]
  const template = textIn(message) ?? textIn(named)
  return template === undefined ? undefined : filledIn(template, listOf(message.arguments))
}

/** `{0}` stands for the first argument, `{{` for a bracket. Without arguments a text is not a template. */
function filledIn(template: string, values: readonly unknown[]): string {
  if (values.length === 0) return template
  return template.replace(/\{\{|\}\}|\{(\d{1,3})\}/g, (match, index) => {
    if (index === undefined) return match.slice(1)
    const value = values[Number(index)]
    return typeof value === 'string' ? value : match
  })
}
