import { api } from '../../../data/api.ts'
import { NotSent, type Sending } from '../../../data/send-form.ts'
import { fileFromResponse, operationsOf, type StoredFile, type UploadOwner } from '../owner.ts'

/** Size above which a file is sent in requests that can be continued. */
const resumableBytes = 10 * 1024 * 1024

export const isResumable = ({ bytes }: { bytes: number }): boolean => bytes > resumableBytes

/** Upload that can be paused. It continues after a lost connection, and after a reload with the same file. */
export interface ResumableSending extends Sending<StoredFile> {
  pause: () => void
  resume: () => void
}

interface Listeners {
  onProgress: (sentBytes: number) => void
  onReconnect: () => void
}

/** Sends a file by tus 1.0. The code of the protocol is loaded with the first large file. */
export function sendResumable(owner: UploadOwner, file: File, listeners: Listeners): ResumableSending {
  let isStopped = false
  let settle: { resolve: (address: string) => void; reject: (error: Error) => void }
  const sent = new Promise<string>((resolve, reject) => {
    settle = { resolve, reject }
  })
  const endpoint = api.address(operationsOf(owner).beginResumable, { path: { id: owner.id } })
  const tus = import('./tus-upload.ts')
  const opened = tus.then(({ openTusUpload }) =>
    openTusUpload(endpoint, file, {
      ...listeners,
      onSuccess: (address) => settle.resolve(address),
      onError: (error) => settle.reject(error),
      isStopped: () => isStopped,
    }),
  )
  opened.then(
    (upload) => upload.start(),
    () => settle.reject(new NotSent(false)),
  )

  async function finish(): Promise<StoredFile> {
    try {
      const stored = await readStored(owner, file, await sent)
      await (await tus).forgetTusUpload(await opened)
      return stored
    } finally {
      inOrder(async (upload) => (await tus).releaseTusUpload(upload))
    }
  }
  const inOrder = (act: (upload: Awaited<typeof opened>) => unknown) => void opened.then(act).catch(() => {})
  return {
    response: finish(),
    pause() {
      isStopped = true
      inOrder((upload) => upload.abort())
    },
    resume() {
      isStopped = false
      inOrder((upload) => upload.start())
    },
    cancel() {
      isStopped = true
      settle.reject(new NotSent(true))
      // The server removes what it cannot be asked to remove after a day.
      inOrder((upload) => upload.abort(true))
    },
  }
}

async function readStored(owner: UploadOwner, file: File, address: string): Promise<StoredFile> {
  const path = { id: owner.id, upload_key: address.slice(address.lastIndexOf('/') + 1) }
  const { upload } = await api.call(operationsOf(owner).resumable, { path })
  if (!upload) throw new NotSent(false)
  return fileFromResponse(upload, file)
}
