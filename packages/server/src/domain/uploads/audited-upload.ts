import { type Details, groupEntity, projectEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { findNamespaceById } from '../namespaces/namespaces.ts'
import { findProjectById } from '../projects/projects.ts'
import { assertReadable } from './scans/readable.ts'
import type { Upload } from './upload.ts'

const messages = {
  upload_imported: 'Imported an upload',
  upload_destroyed: 'Deleted an upload',
  upload_restored: 'Restored an upload',
  upload_downloaded: 'Downloaded an upload',
  upload_link_created: 'Created a link to an upload',
  upload_link_revoked: 'Revoked a link to an upload',
  upload_quarantined: 'Quarantined an upload',
  upload_released: 'Released an upload from quarantine',
} as const

/** Records an action on an upload. Its secret, with which anyone may read it, is not stored. */
export async function recordUploadAudit(
  deps: Deps,
  name: keyof typeof messages,
  { id, owner, filename }: Upload,
  extra?: Details,
): Promise<void> {
  const found =
    owner.kind === 'project' ? await findProjectById(deps.db, owner.id) : await findNamespaceById(deps.db, owner.id)
  if (!found) return
  await recordAuditEvent(deps, name, {
    entity: owner.kind === 'project' ? projectEntity(found) : groupEntity(found),
    message: messages[name],
    target: { type: 'Upload', id, name: filename },
    ...(extra && { extra }),
  })
}

/** Permits the download of an upload, and records it where the operator wants it. Returns the upload. */
export async function recordDownload(deps: Deps, upload: Upload, extra?: Details): Promise<Upload> {
  assertReadable(deps, upload)
  if (deps.settings.auditsDownloads) await recordUploadAudit(deps, 'upload_downloaded', upload, extra)
  return upload
}
