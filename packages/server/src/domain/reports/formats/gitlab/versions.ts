/** Major version; all versions within one are read by the same rules. */
export type Major = 14 | 15

/** Supported versions, oldest first. */
export const supportedVersions = [
  ...['14.0.0', '14.0.1', '14.0.2', '14.0.3', '14.0.4', '14.0.5', '14.0.6', '14.1.0', '14.1.1', '14.1.2', '14.1.3'],
  ...['15.0.0', '15.0.1', '15.0.2', '15.0.4', '15.0.5', '15.0.6', '15.0.7'],
  ...['15.1.0', '15.1.1', '15.1.2', '15.1.3', '15.1.4'],
  ...['15.2.0', '15.2.1', '15.2.2', '15.2.3', '15.2.4'],
]

/**
 * Returns the published version whose schema applies: the declared one or, if only its patch is unknown, the newest
 * earlier patch. Returns undefined if the version is unsupported.
 */
export function applicableVersion(declared: string): string | undefined {
  const wanted = /^(\d+\.\d+\.)(\d+)$/.exec(declared)
  const [, minor, patch] = wanted ?? []
  if (minor === undefined || patch === undefined) return undefined
  return supportedVersions.findLast(
    (version) => version.startsWith(minor) && Number(version.slice(minor.length)) <= Number(patch),
  )
}

export const majorOf = (version: string): Major => (version.startsWith('14.') ? 14 : 15)
