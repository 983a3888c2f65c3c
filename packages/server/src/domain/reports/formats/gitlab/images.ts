import { objectOf, textOf } from '../json-fields.ts'
import type { JsonObject } from '../report.ts'
import type { IsImageKnown } from '../report-format.ts'

export interface Images {
  /** Before the place is asked for. */
  learn: (vulnerability: JsonObject) => Promise<void>
  /** The place as the default branch has it: a branch that builds an image of its own finds the same things in it. */
  onDefaultBranch: (location: JsonObject) => JsonObject
}

/** A report of a branch may say what its image is called on the default branch; that counts if the project knows it. */
export function startImages(isImageKnown: IsImageKnown): Images {
  const known = new Map<string, boolean>()
  return {
    async learn(vulnerability) {
      const start = startOf(imageOnDefaultBranch(objectOf(vulnerability.location)))
      if (!start || known.has(start)) return
      if (known.size >= maxRemembered) known.clear()
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

/** Reports are about one image, or a few. */
const maxRemembered = 1000
