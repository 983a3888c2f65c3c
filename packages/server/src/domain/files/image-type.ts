export type ImageType =
  | 'image/png'
  | 'image/jpeg'
  | 'image/gif'
  | 'image/bmp'
  | 'image/tiff'
  | 'image/vnd.microsoft.icon'
  | 'image/webp'

/** Detects the image format from the first 32 bytes of a file, regardless of its name. */
export function detectImageType(head: Uint8Array): ImageType | undefined {
  const hex = Buffer.from(head.subarray(0, 32)).toString('hex')
  return signatures.find(([, signature]) => signature.test(hex))?.[0]
}

const signatures: readonly (readonly [ImageType, RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/tiff', /^(49492[ab]00|4d4d002[ab])/],
  ['image/webp', /^52494646.{8}57454250/],
  // An icon file with at least one picture.
  ['image/vnd.microsoft.icon', /^00000100(?!0000).{4}/],
  // Many texts begin with `BM`. A bitmap also has a header of a known length and exactly one colour plane.
  ['image/bmp', /^424d.{24}(0c000000.{8}|(10|28|34|38|40|6c|7c)000000.{16})0100/],
]
