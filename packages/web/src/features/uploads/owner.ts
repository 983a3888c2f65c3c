import type { Schemas } from '@alcove/client'

/** Project or group that owns uploads. */
export interface UploadOwner {
  kind: 'project' | 'group'
  id: number
  /** The full path. */
  path: string
}

const operations = {
  project: {
    create: 'POST /projects/{id}/uploads',
    beginResumable: 'POST /projects/{id}/uploads/resumable',
    resumable: 'GET /projects/{id}/uploads/resumable/{upload_key}',
    list: 'GET /projects/{id}/uploads',
    limits: 'GET /projects/{id}/uploads/limits',
    remove: 'DELETE /projects/{id}/uploads/{upload_id}',
    restore: 'POST /projects/{id}/uploads/{upload_id}/restore',
    links: 'GET /projects/{id}/uploads/{upload_id}/links',
    createLink: 'POST /projects/{id}/uploads/{upload_id}/links',
    revokeLink: 'DELETE /projects/{id}/uploads/{upload_id}/links/{link_id}',
    members: 'GET /projects/{id}/members/all',
  },
  group: {
    create: 'POST /groups/{id}/uploads',
    beginResumable: 'POST /groups/{id}/uploads/resumable',
    resumable: 'GET /groups/{id}/uploads/resumable/{upload_key}',
    list: 'GET /groups/{id}/uploads',
    limits: 'GET /groups/{id}/uploads/limits',
    remove: 'DELETE /groups/{id}/uploads/{upload_id}',
    restore: 'POST /groups/{id}/uploads/{upload_id}/restore',
    links: 'GET /groups/{id}/uploads/{upload_id}/links',
    createLink: 'POST /groups/{id}/uploads/{upload_id}/links',
    revokeLink: 'DELETE /groups/{id}/uploads/{upload_id}/links/{link_id}',
    members: 'GET /groups/{id}/members/all',
  },
} as const

export function operationsOf({ kind }: UploadOwner) {
  return operations[kind]
}

/** Returns the address of the uploads page, or of a part of it. */
export function addressOf({ kind, path }: UploadOwner, part = ''): string {
  return `${kind === 'group' ? '/groups' : ''}/${path}/-/uploads${part && `/${part}`}`
}

export function keyOf({ kind, id }: UploadOwner): string {
  return `${kind}-${id}`
}

/** Uploaded file, as the pages show it. */
export interface StoredFile {
  id: number
  name: string
  bytes: number
  contentType: string
  /** Path to download the file. */
  fullPath: string
  markdown: string
  createdAt: string
  sha256?: string
  uploadedBy?: { id: number; name: string; username: string }
  deletedAt?: string
  /** State and finding of the virus scan. */
  scanState?: Schemas['UploadListItem']['scan_state']
  scanSignature?: string
  /** Number of links to the file in the recorded texts of the project. */
  useCount?: number
  /** Time since which no recorded text refers to the file. */
  unreferencedSince?: string
}

/** Converts a row of the list, which must be requested with `with_details`. */
export function fileFromRow(row: Schemas['UploadListItem']): StoredFile {
  const { id: uploaderId, name = '', username = '' } = row.uploaded_by ?? {}
  return {
    id: row.id,
    name: row.filename,
    bytes: row.size,
    contentType: row.content_type ?? '',
    fullPath: row.full_path ?? '',
    markdown: row.markdown ?? '',
    createdAt: row.created_at,
    ...(row.sha256 && { sha256: row.sha256 }),
    ...(uploaderId !== undefined && { uploadedBy: { id: uploaderId, name, username } }),
    ...(row.deleted_at && { deletedAt: row.deleted_at }),
    ...(row.scan_state && { scanState: row.scan_state }),
    ...(row.scan_signature && { scanSignature: row.scan_signature }),
    ...(row.use_count !== undefined && { useCount: row.use_count }),
    ...(row.unreferenced_since && { unreferencedSince: row.unreferenced_since }),
  }
}

/** Converts the response to an upload. The server may have simplified the file name. */
export function fileFromResponse(upload: Schemas['Upload'], { size, type }: File): StoredFile {
  return {
    id: upload.id,
    name: upload.url.slice(upload.url.lastIndexOf('/') + 1),
    bytes: size,
    contentType: type || 'application/octet-stream',
    fullPath: upload.full_path,
    markdown: upload.markdown,
    createdAt: new Date().toISOString(),
  }
}
