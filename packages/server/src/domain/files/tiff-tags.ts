/** Tags that structure a TIFF file, by their names in the specification. */
export const tiffTags = {
  photometric: 262,
  stripOffsets: 273,
  stripByteCounts: 279,
  tileOffsets: 324,
  tileByteCounts: 325,
  subDirectories: 330,
  jpegOffset: 513,
  jpegBytes: 514,
  jpegQuantisation: 519,
  jpegHuffmanDc: 520,
  jpegHuffmanAc: 521,
  cfaPattern: 33421,
  exif: 34665,
  gps: 34853,
  interoperability: 40965,
  dngVersion: 50706,
} as const

/** Tags of directories that contain only metadata, and are removed with everything that they refer to. */
export const metadataDirectories: ReadonlySet<number> = new Set([
  tiffTags.exif,
  tiffTags.gps,
  tiffTags.interoperability,
])

/**
 * Returns true for tags that describe people, places, devices or times. Unknown private tags are kept, because decoding
 * the pixels may depend on them.
 */
export function isMetadataTag(tag: number): boolean {
  if (metadataDirectories.has(tag) || named.has(tag)) return true
  return exifRanges.some(([first, last]) => tag >= first && tag <= last) && !needed.has(tag)
}

const named: ReadonlySet<number> = new Set([
  269, // DocumentName
  270, // ImageDescription
  271, // Make
  272, // Model
  285, // PageName
  305, // Software
  306, // DateTime
  315, // Artist
  316, // HostComputer
  337, // TargetPrinter
  700, // XMP
  18246, // Rating
  18249, // RatingPercent
  32781, // ImageID
  33432, // Copyright
  33434, // ExposureTime
  33437, // FNumber
  33723, // IPTC
  34377, // Photoshop's resources: IPTC, thumbnails, paths
  34850, // ExposureProgram
  34852, // SpectralSensitivity
  34855, // PhotographicSensitivity
  34856, // OECF
  34857, // Interlace
  34858, // TimeZoneOffset
  34859, // SelfTimerMode
  40091, // XPTitle
  40092, // XPComment
  40093, // XPAuthor
  40094, // XPKeywords
  40095, // XPSubject
  42112, // GDAL_METADATA
  50735, // CameraSerialNumber
  50827, // OriginalRawFileName
  50971, // PreviewDateTime
  59932, // Padding, in which editors leave remains
])

/** Ranges of EXIF tags, which some cameras and scanners write among the picture's own tags. */
const exifRanges = [
  [34864, 34869],
  [36864, 37888],
  [40960, 42080],
] as const

/** Tags within those ranges that belong to the picture: the scale of LogLuv, and layers. */
const needed: ReadonlySet<number> = new Set([37439, 37724])
