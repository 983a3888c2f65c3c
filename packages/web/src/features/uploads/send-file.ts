import { type RequestFailed, readFailure, type Schemas } from '@alcove/client'
import { api, sessionHeaders } from '../../app/api.ts'
import { operationsOf, type UploadOwner } from './owner.ts'

/** What became of a file that was sent: `failure` is undefined where there was no answer at all. */
export type Outcome =
  | { kind: 'stored'; upload: Schemas['Upload'] }
  | { kind: 'failed'; failure: RequestFailed | undefined }
  | { kind: 'cancelled' }

/** With XMLHttpRequest, since `fetch` does not tell how much has been sent. Answers what ends it early. */
export function sendFile(
  owner: UploadOwner,
  file: File,
  onProgress: (sentBytes: number) => void,
  onEnd: (outcome: Outcome) => void,
): () => void {
  const request = new XMLHttpRequest()
  request.upload.onprogress = ({ loaded }) => onProgress(Math.min(loaded, file.size))
  request.onload = () => onEnd(outcomeOf(request))
  request.onerror = () => onEnd({ kind: 'failed', failure: undefined })
  request.onabort = () => onEnd({ kind: 'cancelled' })
  request.open('POST', api.address(operationsOf(owner).create, { path: { id: owner.id } }))
  for (const [name, value] of Object.entries(sessionHeaders)) request.setRequestHeader(name, value)
  const form = new FormData()
  form.append('file', file, file.name)
  request.send(form)
  return () => request.abort()
}

function outcomeOf({ status, responseText }: XMLHttpRequest): Outcome {
  if (status !== 201) return { kind: 'failed', failure: readFailure(status, responseText) }
  return { kind: 'stored', upload: JSON.parse(responseText) as Schemas['Upload'] } // what the document says
}
