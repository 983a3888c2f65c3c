import { objectsOf, textOf } from '../json-fields.ts'
import type { JsonObject } from '../report.ts'

/** Finds the remediation that says it fixes a vulnerability; of several the last one. 14.x may name it by its `cve`. */
export function indexRemediations(root: JsonObject): (vulnerability: JsonObject) => JsonObject | undefined {
  // By whatever stands there: only texts are put in, so nothing else is found.
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

/** One remediation may fix every finding; this much of it may be repeated in their raw texts. */
const maxRepeatedCharacters = 32 * 1024 * 1024

/** Writes the raw text of a vulnerability, with its remediation as long as repeating that is no attack. */
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
