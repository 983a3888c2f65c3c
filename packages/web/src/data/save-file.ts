import type { FileOperation, Request } from '@alcove/client'
import { api } from './api.ts'

/** Downloads a file from the API. A plain link cannot send the session header. */
export async function saveFile<O extends FileOperation>(
  operation: O,
  request: Request<O>,
  filename: string,
): Promise<void> {
  const url = URL.createObjectURL(await api.file(operation, request))
  const link = document.createElement('a')
  link.href = url
  link.download = filename
  link.click()
  // The browser has started the download by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
