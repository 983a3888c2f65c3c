import { gone, notFound } from '../../platform/failure.ts'
import type { ReceivedFile } from '../../platform/objects/objects.ts'
import type { Caller } from '../access/callers.ts'
import type { Deps } from '../deps.ts'
import { sanitizeFilename } from '../files/filename.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import type { Project } from '../projects/project.ts'
import {
  countUploads,
  deleteUpload as deleteUploadRow,
  findUpload,
  findUploadBySecret,
  insertUpload,
  newestUploads,
} from './queries.ts'

/** A file that Markdown of a project refers to. */
export interface Upload {
  id: number
  projectId: number
  /** 32 lower-case hex characters, one per upload; whoever may read the project and knows it may fetch the file. */
  secret: string
  /** Sanitised. */
  filename: string
  bytes: number
  sha256: string
  objectKey: string
  createdAt: string
  /** Null when he was not recorded or is gone. */
  uploadedBy: { id: number; username: string; name: string } | null
}

/** The bytes are stored already; from the row on they are the project's. */
export async function createUpload(deps: Deps, project: Project, caller: Caller, file: ReceivedFile): Promise<Upload> {
  const { user } = caller
  const upload = await insertUpload(deps.db, {
    projectId: project.id,
    secret: deps.random(16).toString('hex'),
    filename: sanitizeFilename(file.filename),
    bytes: file.bytes,
    sha256: file.sha256,
    objectKey: file.key,
    createdAt: deps.now(),
    uploadedBy: { id: user.id, username: user.username, name: user.name },
  })
  file.kept = true
  return upload
}

export async function listUploads(deps: Deps, project: Project, page: PageRequest): Promise<Page<Upload>> {
  const [rows, counted] = await Promise.all([
    newestUploads(deps.db, project.id, page),
    countUploads(deps.db, project.id),
  ])
  return pageOf(page, rows, counted)
}

export async function getUpload(deps: Deps, project: Project, id: number): Promise<Upload> {
  const upload = await findUpload(deps.db, project.id, id)
  if (!upload) throw notFound()
  return upload
}

export async function getUploadBySecret(
  deps: Deps,
  project: Project,
  secret: string,
  filename: string,
): Promise<Upload> {
  const upload = await findUploadBySecret(deps.db, project.id, secret, filename)
  if (!upload) throw gone()
  return upload
}

/** The row first: should the process die in between, the object is swept, whereas a row without its bytes is damage. */
export async function deleteUpload(deps: Deps, upload: Upload): Promise<void> {
  const deleted = await deleteUploadRow(deps.db, upload.id)
  if (!deleted) throw notFound()
  await deps.objects.remove(upload.objectKey)
}
