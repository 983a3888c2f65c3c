import { RequestFailed, readFailure } from '@alcove/client'
import { DefaultHttpStack, type DetailedError, defaultOptions, type HttpRequest, Upload } from 'tus-js-client'
import { sessionHeaders } from '../../../data/api.ts'
import { NotSent } from '../../../data/send-form.ts'
import { store } from '../../../data/store.ts'

/** Size of a request. A proxy may buffer a whole request, so the bytes of a broken one can be lost. */
const chunkBytes = 8 * 1024 * 1024
/** About four minutes in all. Any progress starts them again. */
const retryDelays = [0, 1000, 3000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000]

export interface TusListeners {
  onProgress: (sentBytes: number) => void
  /** The connection was lost; the upload continues by itself. */
  onReconnect: () => void
  onSuccess: (address: string) => void
  onError: (error: Error) => void
  /** True while the upload is paused, and after it was canceled. */
  isStopped: () => boolean
}

/** Addresses of the uploads of this page. The same file can be chosen twice. */
const inUse = store.slot(() => new Set<string>())

/** Creates an upload, which continues an earlier one of the same file if there is one. `start` sends the file. */
export async function openTusUpload(endpoint: string, file: File, listeners: TusListeners): Promise<Upload> {
  const upload = new Upload(file, {
    endpoint: new URL(endpoint, location.href).href,
    metadata: { filename: file.name },
    headers: sessionHeaders,
    chunkSize: chunkBytes,
    retryDelays,
    httpStack: ownOriginStack(),
    onProgress: listeners.onProgress,
    onUploadUrlAvailable: () => void inUse.get().add(upload.url ?? ''),
    // `start` resets an earlier `abort`, so an upload that was paused at once would go on.
    onBeforeRequest: (request) => (isHeldBack(request, listeners) ? new Promise(() => {}) : undefined),
    onAfterResponse(_, response) {
      // tus-js-client would forget the upload, which can be continued after the next sign-in.
      if (response.getStatus() === 401) throw readFailure(401, response.getBody())
    },
    onShouldRetry(error) {
      const willRetry = isTemporary(readError(error))
      if (willRetry) listeners.onReconnect()
      return willRetry
    },
    onSuccess: () => listeners.onSuccess(upload.url ?? ''),
    onError: (error) => listeners.onError(readError(error)),
  })
  const earlier = (await upload.findPreviousUploads())
    .toSorted((a, b) => Date.parse(b.creationTime) - Date.parse(a.creationTime))
    .find(({ uploadUrl }) => uploadUrl && !inUse.get().has(uploadUrl))
  if (earlier?.uploadUrl) {
    inUse.get().add(earlier.uploadUrl)
    upload.resumeFromPreviousUpload(earlier)
  }
  return upload
}

function isHeldBack(request: HttpRequest, { isStopped }: TusListeners): boolean {
  return isStopped() && request.getMethod() !== 'DELETE'
}

/** Allows another upload to continue this one. */
export function releaseTusUpload({ url }: Upload): void {
  inUse.get().delete(url ?? '')
}

/** Forgets a finished upload, so that the same file can be uploaded again. */
export async function forgetTusUpload(upload: Upload): Promise<void> {
  for (const { uploadUrl, urlStorageKey } of await upload.findPreviousUploads()) {
    if (uploadUrl === upload.url) await defaultOptions.urlStorage.removeUpload(urlStorageKey)
  }
}

/** Sends requests to the origin of the page, whose cookie they need, also where the server names another one. */
function ownOriginStack() {
  const stack = new DefaultHttpStack({})
  return {
    createRequest: (method: string, address: string) =>
      stack.createRequest(method, new URL(new URL(address).pathname, location.origin).href),
    getName: () => stack.getName(),
  }
}

function isTemporary(error: Error): boolean {
  return !(error instanceof RequestFailed) || error.status >= 500 || [409, 423, 429].includes(error.status)
}

function readError(error: Error | DetailedError): Error {
  if (!('originalRequest' in error)) return new NotSent(false)
  const { causingError, originalResponse: response } = error
  if (causingError instanceof RequestFailed) return causingError
  return response ? readFailure(response.getStatus(), response.getBody()) : new NotSent(false)
}
