import { readFailure } from '@alcove/client'
import { sessionHeaders } from './api.ts'

/** Downloads a file from the API. A plain link cannot send the session header. */
export async function saveFile(address: string, filename: string): Promise<void> {
  const response = await fetch(address, { headers: sessionHeaders })
  if (!response.ok) throw readFailure(response.status, await response.text())
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = filename
  link.click()
  // The browser has started the download by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
