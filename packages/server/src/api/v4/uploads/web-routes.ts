import Type from 'typebox'
import type { RootDeps } from '../../../domain/deps.ts'
import { contentTypeOf } from '../../../domain/files/content-type.ts'
import { openIntact } from '../../../domain/files/intact.ts'
import { recordDownload } from '../../../domain/uploads/audited-upload.ts'
import { isShownInline, kindOf } from '../../../domain/uploads/markdown.ts'
import { groupAsOwner, projectAsOwner } from '../../../domain/uploads/owner.ts'
import type { Upload } from '../../../domain/uploads/upload.ts'
import { getUploadBySecret } from '../../../domain/uploads/uploads.ts'
import { filePath, integer, text } from '../../../http/params/input.ts'
import { attachment, inline } from '../../../http/response/content-disposition.ts'
import { type Download, untrustedContentPolicy } from '../../../http/response/download.ts'
import { fileOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'

/**
 * Input of the URLs in `full_path` and rendered Markdown. Browsers display media that a page may embed and save all other
 * files. The content security policy prevents uploaded content from running scripts or sending requests in this origin.
 */
const input = Type.Object({ id: integer(), secret: text(), filename: filePath() })

export const webUploadRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/-/project/:id/uploads/:secret/:filename',
    outside: true,
    summary: 'View an upload of a project in the browser',
    permission: 'upload.view',
    input,
    status: 200,
    output: fileOutput,
    handle: async ({ deps, project, input }) =>
      viewOf(
        deps,
        await recordDownload(
          deps,
          await getUploadBySecret(deps, projectAsOwner(project), input.secret, input.filename),
        ),
      ),
  }),
  route({
    method: 'GET',
    path: '/-/group/:id/uploads/:secret/:filename',
    outside: true,
    summary: 'View an upload of a group in the browser',
    permission: 'group.upload.view',
    input,
    status: 200,
    output: fileOutput,
    handle: async ({ deps, group, input }) =>
      viewOf(
        deps,
        await recordDownload(deps, await getUploadBySecret(deps, groupAsOwner(group), input.secret, input.filename)),
      ),
  }),
]

function viewOf(deps: RootDeps, upload: Upload): Download {
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
