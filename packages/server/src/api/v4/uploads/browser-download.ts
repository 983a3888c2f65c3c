import type { RootDeps } from '../../../domain/deps.ts'
import { contentTypeOf } from '../../../domain/files/content-type.ts'
import { openIntact } from '../../../domain/files/intact.ts'
import { isShownInline, kindOf } from '../../../domain/uploads/markdown.ts'
import type { Upload } from '../../../domain/uploads/upload.ts'
import { attachment, inline } from '../../../http/response/content-disposition.ts'
import { type Download, untrustedContentPolicy } from '../../../http/response/download.ts'

/** Returns an upload for a browser: media and PDF are shown, and every other file is saved. Nothing in it runs. */
export function browserDownload(deps: RootDeps, upload: Upload): Download {
  const isShown = isShownInline(upload.filename)
  const contentType =
    isShown || kindOf(upload.filename) === 'svg' ? contentTypeOf(upload.filename) : 'application/octet-stream'
  return {
    open: (range) => openIntact(deps, { key: upload.objectKey, bytes: upload.bytes, sha256: upload.sha256 }, range),
    bytes: upload.bytes,
    contentType,
    disposition: isShown ? inline(upload.filename) : attachment(upload.filename),
    contentSecurityPolicy: untrustedContentPolicy,
    etag: `"${upload.sha256}"`,
    lastModified: new Date(upload.createdAt),
  }
}
