import { extensionOf } from '../files/filename.ts'

/** What a page can do with a file, told by its extension alone. `svg` may carry script and is never shown inline. */
export type UploadKind = 'image' | 'video' | 'audio' | 'svg' | 'other'

const extensions: Readonly<Record<Exclude<UploadKind, 'other'>, readonly string[]>> = {
  image: ['png', 'jpg', 'jpeg', 'gif', 'bmp', 'tiff', 'ico', 'webp'],
  video: ['mp4', 'm4v', 'mov', 'webm', 'ogv'],
  audio: ['mp3', 'oga', 'ogg', 'spx', 'wav'],
  svg: ['svg'],
}

const kinds = new Map<string, UploadKind>(
  // `Object.entries` loses the type of the keys.
  Object.entries(extensions).flatMap(([kind, names]) => names.map((name) => [name, kind as UploadKind] as const)),
)

export interface UploadDescription {
  alt: string
  /** Without a host and never percent-encoded. */
  url: string
  markdown: string
}

/** The texts with which an upload is referred to in Markdown. The filename is the sanitised one. */
export function describeUpload(filename: string, secret: string): UploadDescription {
  const url = `/uploads/${secret}/${filename}`
  const alt = isEmbeddable(filename) ? filename.slice(0, -extensionOf(filename).length) : filename
  const link = `[${alt.replaceAll(']', '\\]')}](${url})`
  return { alt, url, markdown: kindOf(filename) === 'other' ? link : `!${link}` }
}

export function kindOf(filename: string): UploadKind {
  return kinds.get(extensionOf(filename).slice(1).toLowerCase()) ?? 'other'
}

/** An image, video or sound that a page may show. */
export function isEmbeddable(filename: string): boolean {
  const kind = kindOf(filename)
  return kind !== 'svg' && kind !== 'other'
}

/** Whether the web route lets a browser show the file instead of saving it. */
export function isShownInline(filename: string): boolean {
  return isEmbeddable(filename) || extensionOf(filename).toLowerCase() === '.pdf'
}
