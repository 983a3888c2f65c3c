import { readFailure } from '@alcove/client'
import type { StoredFile } from '../owner.ts'

/** Fetches a file, or its first bytes. */
export async function fetchFile(
  { fullPath }: StoredFile,
  { signal, maxBytes }: { signal: AbortSignal; maxBytes?: number },
): Promise<Response> {
  const headers = maxBytes === undefined ? {} : { range: `bytes=0-${maxBytes - 1}` }
  const response = await fetch(fullPath, { headers, signal })
  if (!response.ok) throw readFailure(response.status, await response.text())
  return response
}
