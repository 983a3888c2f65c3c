import { objectsOf, textOf } from '../fields/json-fields.ts'
import type { JsonObject } from '../report.ts'

/** Returns a lookup for the last remediation that fixes a vulnerability. Version 14.x may refer to it by `cve`. */
export function indexRemediations(root: JsonObject): (vulnerability: JsonObject) => JsonObject | undefined {
  // Keyed by `unknown`, because lookups use unvalidated values; only strings are inserted.
  const byId = new Map<unknown, JsonObject>()
  const byCve = new Map<unknown, JsonObject>()
  for (const remediation of objectsOf(root.remediations)) {
    for (const { id, cve } of objectsOf(remediation.fixes)) {
      if (typeof id === 'string') byId.set(id, remediation)
      if (textOf(cve)) byCve.set(cve, remediation)
    }
  }
  return ({ id, cve }) => byId.get(id) ?? byCve.get(cve)
}

/** Maximum total size of remediations that are repeated in raw texts, because one remediation may fix every finding. */
const maxRepeatedCharacters = 32 * 1024 * 1024

/** Returns a function that builds the raw text of a vulnerability, with its remediation while the limit permits it. */
export function startRawTexts(): (
  vulnerability: JsonObject,
  remediation: JsonObject | undefined,
) => { raw: string; complete: boolean } {
  const lengths = new Map<JsonObject, number>()
  let left = maxRepeatedCharacters
  return (vulnerability, remediation) => {
    if (!remediation) return { raw: JSON.stringify(vulnerability), complete: true }
    const length = lengths.get(remediation) ?? JSON.stringify(remediation).length
    lengths.set(remediation, length)
    if (length > left) return { raw: JSON.stringify(vulnerability), complete: false }
    left -= length
    return { raw: JSON.stringify({ ...vulnerability, remediations: [remediation] }), complete: true }
  }
}
