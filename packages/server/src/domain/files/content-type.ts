import mime from 'mime'
import { extensionOf } from './filename.ts'

/** Returns the media type for a file name. The content is not inspected; no decision depends on it. */
export function contentTypeOf(filename: string): string {
  return mime.getType(extensionOf(filename).slice(1)) ?? 'application/octet-stream'
}
