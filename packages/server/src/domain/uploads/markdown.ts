import { extensionOf } from '../files/filename.ts'

/** How a page can display a file, by its extension. `svg` may contain scripts and is never shown inline. */
export type UploadKind = 'image' | 'video' | 'audio' | 'svg' | 'other'

const extensions: Readonly<Record<Exclude<UploadKind, 'other'>, readonly string[]>> = {
  image: ['png', 'jpg', 'jpeg', 'gif', 'bmp', 'tiff', 'ico', 'webp'],
  video: ['mp4', 'm4v', 'mov', 'webm', 'ogv'],
  audio: ['mp3', 'oga', 'ogg', 'spx', 'wav'],
  svg: ['svg'],
}

const kinds = new Map<string, UploadKind>(
  // `Object.entries` widens the type of the keys.
  Object.entries(extensions).flatMap(([kind, names]) => names.map((name) => [name, kind as UploadKind] as const)),
)

export interface UploadDescription {
  alt: string
  /** Path without a host, not percent-encoded. */
  url: string
  markdown: string
}

/** Returns the texts by which Markdown refers to an upload. The filename must be sanitised. */
export function describeUpload(filename: string, secret: string): UploadDescription {
  const url = `/uploads/${secret}/${filename}`
  const alt = isEmbeddable(filename) ? filename.slice(0, -extensionOf(filename).length) : filename
  const link = `[${alt.replaceAll(']', '\\]')}](${url})`
  return { alt, url, markdown: kindOf(filename) === 'other' ? link : `!${link}` }
}

export function kindOf(filename: string): UploadKind {
  return kinds.get(extensionOf(filename).slice(1).toLowerCase()) ?? 'other'
}

/** Returns true for an image, video or audio file that a page may embed. */
export function isEmbeddable(filename: string): boolean {
  const kind = kindOf(filename)
  return kind !== 'svg' && kind !== 'other'
}

/** Returns true when the web route lets a browser display the file instead of saving it. */
export function isShownInline(filename: string): boolean {
  return isEmbeddable(filename) || extensionOf(filename).toLowerCase() === '.pdf'
}
