import Type from 'typebox'
import type { RootDeps } from '../../../domain/deps.ts'
import { readThumbnail } from '../../../domain/uploads/thumbnails/thumbnails.ts'
import type { Upload } from '../../../domain/uploads/upload.ts'
import { getUpload, getUploadBySecret } from '../../../domain/uploads/uploads.ts'
import { filePath, integer, text } from '../../../http/params/input.ts'
import { inline } from '../../../http/response/content-disposition.ts'
import { type Download, untrustedContentPolicy } from '../../../http/response/download.ts'
import { fileOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { ownerOf } from './owner-of.ts'

const routesOf = (kind: 'project' | 'group', may: 'upload.read' | 'group.upload.read'): Route =>
  route({
    method: 'GET',
    path: `/${kind}s/:id/uploads/:upload_id/thumbnail`,
    summary: `Get a thumbnail of a picture among the uploads of a ${kind}, as WebP`,
    permission: may,
    input: Type.Object({ upload_id: integer() }),
    status: 200,
    output: fileOutput,
    handle: async (context) =>
      thumbnailOf(context.deps, await getUpload(context.deps, ownerOf(context), context.input.upload_id)),
  })

const viewRouteOf = (kind: 'project' | 'group', may: 'upload.view' | 'group.upload.view'): Route =>
  route({
    method: 'GET',
    path: `/-/${kind}/:id/thumbnails/:secret/:filename`,
    outside: true,
    summary: `View a thumbnail of a picture among the uploads of a ${kind} in the browser`,
    permission: may,
    input: Type.Object({ id: integer(), secret: text(), filename: filePath() }),
    status: 200,
    output: fileOutput,
    async handle(context) {
      const { deps, input } = context
      return thumbnailOf(deps, await getUploadBySecret(deps, ownerOf(context), input.secret, input.filename))
    },
  })

/** Thumbnails of pictures. Drawn ones are stored for some days. */
export const thumbnailRoutes: readonly Route[] = [
  routesOf('project', 'upload.read'),
  routesOf('group', 'group.upload.read'),
  viewRouteOf('project', 'upload.view'),
  viewRouteOf('group', 'group.upload.view'),
]

async function thumbnailOf(deps: RootDeps, upload: Upload): Promise<Download> {
  const bytes = await readThumbnail(deps, upload)
  return {
    open: async (range) => (range ? bytes.subarray(range.start, range.end + 1) : bytes),
    bytes: bytes.length,
    contentType: 'image/webp',
    disposition: inline('thumbnail.webp'),
    contentSecurityPolicy: untrustedContentPolicy,
    etag: `"${upload.sha256.slice(0, 32)}-192"`,
  }
}
