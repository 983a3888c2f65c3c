import { textOf } from '../fields/json-fields.ts'
import { shorten } from '../fields/shorten.ts'

/** Maximum number of characters of a name that are compared. */
const maxName = 255

/**
 * Returns the name of a scanned artifact, such as an image, without tag and digest, so that all versions share it. An
 * absolute path is reduced to its last folder, because its parent folders differ between machines.
 */
export function artifactName(written: unknown): string | undefined {
  const name = shorten(textOf(written)?.trim() ?? '', 4 * maxName)
  const untagged = withoutTag(name.replace(/@[a-z0-9][a-z0-9+._-]*:[0-9a-f]{32,}$/i, ''))
  const isAbsolute = /^(?:[\\/]|[a-z]:[\\/])/i.test(untagged)
  const reduced = isAbsolute
    ? untagged
        .replace(/^[a-z]:/i, '')
        .split(/[\\/]/)
        .findLast(Boolean)
    : untagged
  return reduced ? shorten(reduced, maxName) : undefined
}

/** Removes the tag. A colon before a slash belongs to the port of a registry instead. */
function withoutTag(name: string): string {
  const colon = name.lastIndexOf(':')
  const isTag = colon > Math.max(0, name.lastIndexOf('/')) && /^\w[\w.-]{0,127}$/.test(name.slice(colon + 1))
  return isTag ? name.slice(0, colon) : name
}

/** Returns true if the last report that contained a finding describes another artifact. */
export const isOfAnother = (artifact: string | undefined, last: string | null): boolean =>
  artifact !== undefined && last !== null && last !== artifact

/** Collects the artifact names in the entries of a report. */
export function startArtifacts() {
  const names = new Set<string>()
  return {
    add(written: unknown): void {
      const name = artifactName(written)
      if (name !== undefined && names.size < 2) names.add(name)
    },
    /** Returns the common name, or undefined when the entries name none or several. */
    only: (): string | undefined => (names.size === 1 ? [...names][0] : undefined),
  }
}
