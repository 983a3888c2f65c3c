import { textOf } from './json-fields.ts'
import { shorten } from './shorten.ts'

/** So many characters of a name count. */
const maxName = 255

/**
 * Returns the name of an artifact that a scanner looked at, such as an image, without its tag and digest: it stays the
 * same from one version to the next. An absolute path is reduced to its last folder, since the folders above it differ
 * from machine to machine.
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

/** The port of a registry stands before a slash, a tag does not. */
function withoutTag(name: string): string {
  const colon = name.lastIndexOf(':')
  const isTag = colon > Math.max(0, name.lastIndexOf('/')) && /^\w[\w.-]{0,127}$/.test(name.slice(colon + 1))
  return isTag ? name.slice(0, colon) : name
}

/** Whether a finding that was last observed in a report of one artifact is none of the findings of another artifact. */
export const isOfAnother = (artifact: string | undefined, last: string | null): boolean =>
  artifact !== undefined && last !== null && last !== artifact

/** Collects the names that the entries of a report have for its artifact. */
export function startArtifacts() {
  const names = new Set<string>()
  return {
    add(written: unknown): void {
      const name = artifactName(written)
      if (name !== undefined && names.size < 2) names.add(name)
    },
    /** Undefined when the entries name several artifacts, or none. */
    only: (): string | undefined => (names.size === 1 ? [...names][0] : undefined),
  }
}
