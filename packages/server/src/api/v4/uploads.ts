import Type from 'typebox'
import type { RootDeps } from '../../domain/deps.ts'
import { describeUpload } from '../../domain/uploads/markdown.ts'
import {
  createUpload,
  deleteUpload,
  getUpload,
  getUploadBySecret,
  listUploads,
  type Upload,
} from '../../domain/uploads/uploads.ts'
import { badRequest, Failure } from '../../platform/failure.ts'
import { attachment } from './content-disposition.ts'
import type { Download } from './download.ts'
import { filePart, filePath, integer, text } from './input.ts'
import { fileOutput, noOutput, type Route, route } from './route.ts'
import { timestamp } from './views.ts'

const uploadView = Type.Object({
  id: Type.Integer(),
  alt: Type.String(),
  url: Type.String(),
  full_path: Type.String(),
  markdown: Type.String(),
})

function viewUpload({ id, projectId, secret, filename }: Upload) {
  const { alt, url, markdown } = describeUpload(filename, secret)
  const fullPath = `/-/project/${projectId}/uploads/${secret}/${encodeURIComponent(filename)}`
  return { id, alt, url, full_path: fullPath, markdown }
}

const uploadListItem = Type.Object({
  id: Type.Integer(),
  size: Type.Integer(),
  filename: Type.String(),
  created_at: timestamp,
  uploaded_by: Type.Unsafe<{ id: number; username: string; public_email: string; name: string } | null>({
    type: ['object', 'null'],
    properties: {
      id: { type: 'integer' },
      username: { type: 'string' },
      public_email: { type: 'string' },
      name: { type: 'string' },
    },
  }),
})

function viewListItem({ id, bytes, filename, createdAt, uploadedBy }: Upload) {
  return {
    id,
    size: bytes,
    filename,
    created_at: createdAt,
    uploaded_by: uploadedBy && {
      id: uploadedBy.id,
      username: uploadedBy.username,
      public_email: '',
      name: uploadedBy.name,
    },
  }
}

/** Always to be saved and never to be shown, whatever it is (contract 2.3). */
function downloadOf(deps: RootDeps, upload: Upload): Download {
  return {
    open: (range) => deps.objects.open(upload.objectKey, range),
    bytes: upload.bytes,
    contentType: 'application/octet-stream',
    disposition: attachment(upload.filename),
    etag: `"${upload.sha256}"`,
    lastModified: new Date(upload.createdAt),
  }
}

const byId = Type.Object({ upload_id: integer() })
const bySecret = Type.Object({ secret: text(), filename: filePath() })

export const uploadRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/projects/:id/uploads',
    summary: 'Upload a file for use in Markdown',
    permission: 'upload.create',
    input: Type.Object({ file: filePart }),
    status: 201,
    output: uploadView,
    maxFileBytes: ({ settings }) => settings.maxUploadBytes,
    handle: async ({ deps, project, caller, input }) =>
      viewUpload(await createUpload(deps, project, caller, input.file)),
  }),
  route({
    method: 'GET',
    path: '/projects/:id/uploads',
    summary: 'List a project’s uploads, newest first',
    permission: 'upload.list',
    status: 200,
    output: Type.Array(uploadListItem),
    paged: true,
    remember: ['uploads', 'users'],
    async handle({ deps, project, page }) {
      const found = await listUploads(deps, project, page)
      return { ...found, rows: found.rows.map(viewListItem) }
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/uploads/:upload_id',
    summary: 'Download an upload by its id',
    permission: 'upload.read',
    input: byId,
    status: 200,
    output: fileOutput,
    handle: async ({ deps, project, input }) => downloadOf(deps, await getUpload(deps, project, input.upload_id)),
  }),
  route({
    method: 'GET',
    path: '/projects/:id/uploads/:secret/:filename',
    summary: 'Download an upload by its secret and name',
    permission: 'upload.read-by-secret',
    input: bySecret,
    status: 200,
    output: fileOutput,
    handle: async ({ deps, project, input }) =>
      downloadOf(deps, await getUploadBySecret(deps, project, input.secret, input.filename)),
  }),
  route({
    method: 'DELETE',
    path: '/projects/:id/uploads/:upload_id',
    summary: 'Delete an upload by its id',
    permission: 'upload.delete',
    input: byId,
    status: 204,
    output: noOutput,
    handle: async ({ deps, project, input }) => deleteUpload(deps, await getUpload(deps, project, input.upload_id)),
  }),
  route({
    method: 'DELETE',
    path: '/projects/:id/uploads/:secret/:filename',
    summary: 'Delete an upload by its secret and name',
    permission: 'upload.delete',
    input: bySecret,
    status: 204,
    output: noOutput,
    async handle({ deps, project, input }) {
      try {
        await deleteUpload(deps, await getUploadBySecret(deps, project, input.secret, input.filename))
      } catch (error) {
        // By secret GitLab answers 400 where by id it answers 404.
        throw error instanceof Failure && isMissing(error) ? badRequest(missingBySecret) : error
      }
    },
  }),
]

const missingBySecret =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action."

function isMissing({ cause }: Failure): boolean {
  return cause.kind === 'gone' || cause.kind === 'not-found'
}
