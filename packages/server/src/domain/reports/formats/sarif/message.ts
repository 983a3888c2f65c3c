import { listOf, objectOf, textOf } from '../fields/json-fields.ts'
import type { JsonObject } from '../report.ts'

/** Returns the text of a message object. */
export const textIn = (message: unknown): string | undefined =>
  textOf(objectOf(message)?.text) ?? textOf(objectOf(message)?.markdown)

/** Returns the message of a result. It may refer by id to a message of its rule or to a shared one. */
export function messageOf(result: JsonObject, rule: JsonObject | undefined, shared: JsonObject): string | undefined {
  const message = objectOf(result.message) ?? {}
  const id = textOf(message.id)
  const strings = [objectOf(rule?.messageStrings) ?? {}, shared]
  const named = id === undefined ? undefined : strings.find((texts) => Object.hasOwn(texts, id))?.[id]
  const template = textIn(message) ?? textIn(named)
  return template === undefined ? undefined : filledIn(template, listOf(message.arguments))
}

/** Replaces `{0}` by the first argument and `{{` by a brace. Without arguments the text is no template. */
function filledIn(template: string, values: readonly unknown[]): string {
  if (values.length === 0) return template
  return template.replace(/\{\{|\}\}|\{(\d{1,3})\}/g, (match, index) => {
    if (index === undefined) return match.slice(1)
    const value = values[Number(index)]
    return typeof value === 'string' ? value : match
  })
}
