import { readFailure } from '@alcove/client'
import { sessionHeaders } from './api.ts'

/** Fetches a file of the API and hands it to the browser to keep. A plain link could not say that a page of ours asks. */
export async function saveFile(address: string, filename: string): Promise<void> {
  const response = await fetch(address, { headers: sessionHeaders })
  if (!response.ok) throw readFailure(response.status, await response.text())
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = filename
  link.click()
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
