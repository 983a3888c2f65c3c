import type { Sharp, SharpOptions } from 'sharp'
import type { ImageType } from '../../files/image-type.ts'

/** Width and height within which a thumbnail fits. */
const maxSide = 192
/** Maximum number of pixels of a picture, as decoding takes memory for each. */
const maxPixels = 50_000_000
const maxSeconds = 10

/** Formats that are decoded. SVG, whose decoder reads other files, is none of them. */
const formats: ReadonlySet<ImageType> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/tiff'])

export const canDraw = (type: ImageType | undefined): boolean => type !== undefined && formats.has(type)

type Draw = (picture: Buffer, options: SharpOptions) => Sharp

let loading: Promise<Draw | undefined> | undefined

/** Loads sharp, an optional dependency, with one thread and without a cache. */
function load(): Promise<Draw | undefined> {
  loading ??= import('sharp').then(
    ({ default: sharp }) => {
      sharp.concurrency(1)
      sharp.cache(false)
      return sharp
    },
    () => undefined,
  )
  return loading
}

let last: Promise<unknown> = Promise.resolve()

/**
 * Returns a picture as WebP that fits into 192 × 192 pixels, upright. Returns `undefined` when the picture cannot be
 * decoded or is too large, or sharp is not installed. Pictures are read and drawn one at a time, to save memory.
 */
export function drawThumbnail(read: () => Promise<Buffer>): Promise<Buffer | undefined> {
  const drawn = last.then(async () => {
    const draw = await load()
    if (!draw) return undefined
    const picture = await read()
    try {
      return await draw(picture, { failOn: 'error', limitInputPixels: maxPixels, animated: false })
        .timeout({ seconds: maxSeconds })
        .autoOrient()
        .resize(maxSide, maxSide, { fit: 'inside', withoutEnlargement: true })
        .webp({ quality: 75 })
        .toBuffer()
    } catch {
      return undefined // a damaged, unusual or oversized picture has no thumbnail
    }
  })
  last = drawn.catch(() => {}) // the next picture is drawn nevertheless
  return drawn
}
