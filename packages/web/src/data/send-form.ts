import { readFailure } from '@alcove/client'
import { sessionHeaders } from './api.ts'
import { texts } from './texts.ts'

export interface Sending<Result> {
  /** Rejects with `RequestFailed` for an error response, and with `NotSent` when there was no response. */
  response: Promise<Result>
  cancel: () => void
}

/** Error of a request that the user cancelled or whose connection broke. */
export class NotSent extends Error {
  readonly isCancelled: boolean

  constructor(isCancelled: boolean) {
    super(isCancelled ? texts.canceledNothingChanged : texts.theConnectionWasLost)
    this.name = 'NotSent'
    this.isCancelled = isCancelled
  }
}

/**
 * Sends a form with XMLHttpRequest, because `fetch` does not report the progress of a request body. `onProgress` also
 * counts
 * the bytes around the files. The key makes the form safe to send again.
 */
export function sendForm<Result>(
  address: string,
  fields: Readonly<Record<string, string | File | readonly File[]>>,
  onProgress: (sentBytes: number, totalBytes: number) => void,
  idempotencyKey?: string,
): Sending<Result> {
  const request = new XMLHttpRequest()
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string' || value instanceof File) form.append(name, value)
    else for (const file of value) form.append(name, file)
  }
  const response = new Promise<Result>((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total)
    request.onload = () => {
      const { status, responseText } = request
      if (status >= 300) return reject(readFailure(status, responseText))
      try {
        resolve(JSON.parse(responseText) as Result) // as the OpenAPI document specifies
      } catch {
        // A proxy responded instead of the server.
        reject(new NotSent(false))
      }
    }
    request.onerror = () => reject(new NotSent(false))
    request.onabort = () => reject(new NotSent(true))
  })
  request.open('POST', address)
  for (const [name, value] of Object.entries(sessionHeaders)) request.setRequestHeader(name, value)
  if (idempotencyKey) request.setRequestHeader('idempotency-key', idempotencyKey)
  request.send(form)
  return { response, cancel: () => request.abort() }
}
