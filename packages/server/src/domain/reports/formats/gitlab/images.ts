import { objectOf, textOf } from '../fields/json-fields.ts'
import type { JsonObject } from '../report.ts'
import type { IsImageKnown } from '../report-format.ts'

export interface Images {
  /** Looks up the image of a vulnerability. Must be called before `onDefaultBranch`. */
  lookUp: (vulnerability: JsonObject) => Promise<void>
  /**
   * Returns the location with the image name of the default branch, so that a branch's own image has the same findings.
   */
  onDefaultBranch: (location: JsonObject) => JsonObject
}

/**
 * Resolves the image name of the default branch, which the report of a branch may state, if the project has that image.
 */
export function startImages(isImageKnown: IsImageKnown): Images {
  const known = new Map<string, boolean>()
  return {
    async lookUp(vulnerability) {
      const start = startOf(imageOnDefaultBranch(objectOf(vulnerability.location)))
      if (!start || known.has(start)) return
      if (known.size >= maxCached) known.clear()
      known.set(start, await isImageKnown(start))
    },
    onDefaultBranch(location) {
      const image = imageOnDefaultBranch(location)
      return known.get(startOf(image)) ? { ...location, image } : location
    },
  }
}

const imageOnDefaultBranch = (location: JsonObject | undefined): string => textOf(location?.default_branch_image) ?? ''

const startOf = (image: string): string => image.slice(0, Math.max(image.indexOf(':'), 0)) || image

/** Maximum number of cached images; a report usually has one or a few. */
const maxCached = 1000
