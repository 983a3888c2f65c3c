import { readFailure, type Schemas } from '@alcove/client'

export interface Sending {
  answer: Promise<Schemas['Import']>
  cancel: () => void
}

/** Sends a file as the browser sends it, because only that tells how much has gone: `onProgress` from 0 to 1. */
export function sendReport(
  address: string,
  headers: Record<string, string>,
  file: File,
  options: Record<string, string>,
  onProgress: (part: number) => void,
): Sending {
  const request = new XMLHttpRequest()
  const form = new FormData()
  for (const [name, value] of Object.entries(options)) form.append(name, value)
  form.append('file', file)
  const answer = new Promise<Schemas['Import']>((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onload = () => {
      if (request.status < 300) resolve(JSON.parse(request.responseText))
      else reject(readFailure(request.status, request.responseText))
    }
    request.onerror = () => reject(new Error('The connection broke off before the report was there.'))
    request.onabort = () => reject(new Error('You cancelled it; nothing changed.'))
  })
  request.open('POST', address)
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
  request.send(form)
  return { answer, cancel: () => request.abort() }
}
