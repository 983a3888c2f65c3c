import mime from 'mime'
import { extensionOf } from './filename.ts'

/** The media type that a file's name stands for. What is in the file does not matter: nothing is decided by it. */
export function contentTypeOf(filename: string): string {
  return mime.getType(extensionOf(filename).slice(1)) ?? 'application/octet-stream'
}
