import Type, { type Static } from 'typebox'
import type { Permission } from '../../../domain/access/permissions.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import { openIntact } from '../../../domain/files/intact.ts'
import { changeUploadLimits } from '../../../domain/projects/projects.ts'
import { recordDownload } from '../../../domain/uploads/audited-upload.ts'
import { type UploadFilter, uploadOrders } from '../../../domain/uploads/filter.ts'
import { projectAsOwner, type UploadOwner } from '../../../domain/uploads/owner.ts'
import { findUses, type UploadUse } from '../../../domain/uploads/references/upload-references.ts'
import type { Upload } from '../../../domain/uploads/upload.ts'
import {
  createUpload,
  deleteUpload,
  findLimits,
  findUploads,
  getUpload,
  getUploadBySecret,
  restoreUpload,
  roomFor,
} from '../../../domain/uploads/uploads.ts'
import {
  dateTime,
  filePart,
  filePath,
  flag,
  integer,
  integerList,
  nullable,
  oneOf,
  optional,
  text,
} from '../../../http/params/input.ts'
import { attachment } from '../../../http/response/content-disposition.ts'
import type { Download } from '../../../http/response/download.ts'
import { noOutput, type Route, redirectableFileOutput } from '../../../http/route.ts'
import { badRequest, Failure } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { nullableInteger, nullableString, nullableTimestamp, timestamp } from '../views.ts'
import { isMember, ownerOf } from './owner-of.ts'
import { scanStateView, uploadView, viewUpload } from './views.ts'

export const uploadListItem = Type.Object(
  {
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
    // Not in GitLab, where listed uploads can be downloaded by id only. Present with `with_details`.
    content_type: Type.Optional(Type.String()),
    sha256: Type.Optional(Type.String()),
    url: Type.Optional(Type.String()),
    full_path: Type.Optional(Type.String()),
    markdown: Type.Optional(Type.String()),
    deleted_at: Type.Optional(timestamp),
    // Uploads of projects, with `with_details`.
    use_count: Type.Optional(Type.Integer({ description: 'Number of links in recorded texts' })),
    unreferenced_since: Type.Optional(nullableTimestamp),
    // With `with_details`.
    scan_state: Type.Optional(scanStateView),
    scan_signature: Type.Optional({ ...nullableString, description: 'Name of what the virus scan found' }),
    scanned_at: Type.Optional(nullableTimestamp),
  },
  { title: 'UploadListItem' },
)

export function viewListItem(upload: Upload, withDetails: boolean, use?: UploadUse) {
  const { id, bytes, filename, createdAt, uploadedBy, contentType, sha256, deletedAt, scan } = upload
  const { url, full_path, markdown } = viewUpload(upload)
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
    ...(withDetails && { content_type: contentType, sha256, url, full_path, markdown }),
    ...(deletedAt !== null && { deleted_at: deletedAt }),
    ...(use && { use_count: use.count, unreferenced_since: use.unreferencedSince }),
    ...(withDetails && { scan_state: scan.state, scan_signature: scan.signature, scanned_at: scan.at }),
  }
}

const limitsView = Type.Object(
  {
    max_upload_bytes: Type.Integer(),
    quota_bytes: nullableInteger,
    used_bytes: Type.Integer(),
    files: Type.Integer(),
    unfinished_bytes: Type.Integer({
      description: 'Announced sizes of unfinished uploads; they count towards the quota',
    }),
  },
  { title: 'UploadLimits' },
)

async function viewLimits(deps: RootDeps, owner: UploadOwner) {
  const { maxUploadBytes, quotaBytes, usedBytes, unfinishedBytes, files } = await findLimits(deps, owner)
  return {
    max_upload_bytes: maxUploadBytes,
    quota_bytes: quotaBytes,
    used_bytes: usedBytes,
    files,
    unfinished_bytes: unfinishedBytes,
  }
}

/** API downloads are always attachments: a browser saves them and never displays them. */
function downloadOf(deps: RootDeps, upload: Upload): Download {
  const { objects, settings } = deps
  const contentType = 'application/octet-stream'
  const disposition = attachment(upload.filename)
  const answer = { contentType, disposition, expiresInSeconds: 5 * 60 }
  const redirect = settings.s3?.redirect && objects.signedUrl?.bind(objects, upload.objectKey, answer)
  return {
    open: (range) => openIntact(deps, { key: upload.objectKey, bytes: upload.bytes, sha256: upload.sha256 }, range),
    bytes: upload.bytes,
    contentType,
    disposition,
    etag: `"${upload.sha256}"`,
    lastModified: new Date(upload.createdAt),
    ...(redirect && { redirect }),
  }
}

const listInput = Type.Object({
  search: optional(text({ description: 'Matches part of the name' })),
  content_type: optional(text({ description: 'Media type, or a wildcard such as image/*' })),
  upload_ids: optional(integerList({ commaSeparated: true, description: 'Only uploads with these ids' })),
  uploaded_by: optional(integer({ description: 'ID of a user' })),
  created_after: optional(dateTime()),
  created_before: optional(dateTime()),
  // No schema defaults, because `Link` would repeat them and GitLab's does not.
  order_by: optional(oneOf(uploadOrders, { description: 'Default: `created_at`' })),
  sort: optional(oneOf(['asc', 'desc'], { description: 'Default: `desc`' })),
  with_details: optional(flag({ description: 'Adds content type, SHA-256 and links, which include the secret' })),
  deleted: optional(flag({ description: 'Only deleted uploads that can still be restored' })),
})
const byId = Type.Object({ upload_id: integer() })
const bySecret = Type.Object({ secret: text(), filename: filePath() })

/** Permissions of the upload routes by kind of owner. */
const permissionsOf = {
  project: {
    create: 'upload.create',
    list: 'upload.list',
    read: 'upload.read',
    bySecret: 'upload.read-by-secret',
    delete: 'upload.delete',
    limits: 'upload.limits',
  },
  group: {
    create: 'group.upload.create',
    list: 'group.upload.list',
    read: 'group.upload.read',
    bySecret: 'group.upload.read-by-secret',
    delete: 'group.upload.delete',
    limits: 'group.upload.limits',
  },
} as const satisfies Record<UploadOwner['kind'], Record<string, Permission>>

/** Tables that show how texts use uploads. */
const tablesOfReferences = ['upload_references', 'upload_reference_sources']

function uploadRoutesOf(kind: UploadOwner['kind']): readonly Route[] {
  const base = `/${kind}s/:id/uploads`
  const may = permissionsOf[kind]
  return [
    route({
      method: 'POST',
      path: base,
      summary: `Upload a file for use in the Markdown of a ${kind}`,
      permission: may.create,
      input: Type.Object({ file: filePart }),
      status: 201,
      output: uploadView,
      ignoresRawBody: true,
      fileLimit: (deps, found) => roomFor(deps, ownerOf(found), isMember(found)),
      async handle(context) {
        const uploader = { user: context.caller.user, isMember: isMember(context) }
        return viewUpload(await createUpload(context.deps, ownerOf(context), uploader, context.input.file))
      },
    }),
    route({
      method: 'GET',
      path: base,
      summary: `List a ${kind}’s uploads, newest first`,
      permission: may.list,
      input: listInput,
      status: 200,
      output: Type.Array(uploadListItem),
      paged: true,
      cacheTables: kind === 'project' ? ['uploads', 'users', ...tablesOfReferences] : ['uploads', 'users'],
      async handle(context) {
        const { deps, input, page } = context
        const found = await findUploads(deps, ownerOf(context), filterFrom(input), page)
        const { with_details: withDetails = false } = input
        const uses = withDetails ? await findUses(deps, ownerOf(context), found.rows) : undefined
        return { ...found, rows: found.rows.map((upload) => viewListItem(upload, withDetails, uses?.get(upload.id))) }
      },
    }),
    route({
      method: 'GET',
      path: `${base}/limits`,
      summary: `Get the upload limits of a ${kind}`,
      permission: may.limits,
      status: 200,
      output: limitsView,
      handle: (context) => viewLimits(context.deps, ownerOf(context)),
    }),
    route({
      method: 'GET',
      path: `${base}/:upload_id`,
      summary: 'Download an upload by ID',
      permission: may.read,
      input: byId,
      status: 200,
      output: redirectableFileOutput,
      handle: async (context) =>
        downloadOf(
          context.deps,
          await recordDownload(context.deps, await getUpload(context.deps, ownerOf(context), context.input.upload_id)),
        ),
    }),
    route({
      method: 'GET',
      path: `${base}/:secret/:filename`,
      summary: 'Download an upload by secret and filename',
      permission: may.bySecret,
      input: bySecret,
      status: 200,
      output: redirectableFileOutput,
      async handle(context) {
        const { secret, filename } = context.input
        const upload = await getUploadBySecret(context.deps, ownerOf(context), secret, filename)
        return downloadOf(context.deps, await recordDownload(context.deps, upload))
      },
    }),
    route({
      method: 'DELETE',
      path: `${base}/:upload_id`,
      summary: 'Delete an upload by ID; it can be restored during the grace period',
      permission: may.delete,
      input: byId,
      status: 204,
      output: noOutput,
      async handle(context) {
        const { deps, caller, input } = context
        await deleteUpload(deps, await getUpload(deps, ownerOf(context), input.upload_id), caller.user)
      },
    }),
    route({
      method: 'DELETE',
      path: `${base}/:secret/:filename`,
      summary: 'Delete an upload by secret and filename; it can be restored during the grace period',
      permission: may.delete,
      input: bySecret,
      status: 204,
      output: noOutput,
      async handle(context) {
        const { deps, caller, input } = context
        try {
          const upload = await getUploadBySecret(deps, ownerOf(context), input.secret, input.filename)
          await deleteUpload(deps, upload, caller.user)
        } catch (error) {
          // For a missing upload GitLab returns 400 by secret and 404 by id.
          throw error instanceof Failure && isMissing(error) ? badRequest(missingBySecret) : error
        }
      },
    }),
    route({
      method: 'POST',
      path: `${base}/:upload_id/restore`,
      summary: 'Restore a deleted upload at its previous URL',
      permission: may.delete,
      input: byId,
      status: 201,
      output: uploadView,
      handle: async (context) =>
        viewUpload(await restoreUpload(context.deps, ownerOf(context), context.input.upload_id)),
    }),
  ]
}

const bytes = optional(nullable(integer({ minimum: 0, description: 'Null or blank removes the project’s own limit' })))

export const uploadRoutes: readonly Route[] = [
  ...uploadRoutesOf('project'),
  ...uploadRoutesOf('group'),
  route({
    method: 'PUT',
    path: '/projects/:id/uploads/limits',
    summary: 'Set the upload limits of a project',
    permission: 'upload.limit',
    input: Type.Object({ max_upload_bytes: bytes, quota_bytes: bytes }),
    status: 200,
    output: limitsView,
    async handle({ deps, project, input }) {
      const { max_upload_bytes: max = project.maxUploadBytes, quota_bytes: quota = project.uploadQuotaBytes } = input
      const changed = await changeUploadLimits(deps, project, { maxUploadBytes: max, uploadQuotaBytes: quota })
      return viewLimits(deps, projectAsOwner(changed))
    },
  }),
]

function filterFrom(input: Static<typeof listInput>): UploadFilter {
  return {
    search: input.search,
    contentType: input.content_type,
    ids: input.upload_ids?.length ? input.upload_ids : undefined,
    uploadedById: input.uploaded_by,
    createdAfter: input.created_after,
    createdBefore: input.created_before,
    orderBy: input.order_by ?? 'created_at',
    sort: input.sort ?? 'desc',
    deleted: input.deleted ?? false,
  }
}

const missingBySecret =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action."

function isMissing({ cause }: Failure): boolean {
  return cause.kind === 'gone' || cause.kind === 'not-found'
}
