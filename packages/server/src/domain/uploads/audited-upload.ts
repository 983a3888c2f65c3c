import { groupEntity, projectEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { findNamespaceById } from '../namespaces/namespaces.ts'
import { findProjectById } from '../projects/projects.ts'
import type { Upload } from './upload.ts'

/** Records the deletion or restoration of an upload. Its secret, with which anyone may read it, is not stored. */
export async function recordUploadAudit(
  deps: Deps,
  name: 'upload_destroyed' | 'upload_restored',
  { id, owner, filename }: Upload,
): Promise<void> {
  const found =
    owner.kind === 'project' ? await findProjectById(deps.db, owner.id) : await findNamespaceById(deps.db, owner.id)
  if (!found) return
  await recordAuditEvent(deps, name, {
    entity: owner.kind === 'project' ? projectEntity(found) : groupEntity(found),
    message: name === 'upload_destroyed' ? 'Deleted an upload' : 'Restored an upload',
    target: { type: 'Upload', id, name: filename },
  })
}
