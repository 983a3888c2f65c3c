import { instanceUrl } from '../../platform/settings.ts'
import type { Deps } from '../deps.ts'
import { describePlace } from '../hooks/describe-place.ts'
import type { UploadEvent } from '../hooks/hook-event-body.ts'
import { recordEvents } from '../hooks/record.ts'
import type { Upload } from './upload.ts'

/**
 * Records a webhook event of an upload, in the transaction of the change. The event has the address of the upload in the
 * API, because the address in Markdown contains its secret.
 */
export function recordUploadEvent(deps: Deps, name: UploadEvent['event_name'], upload: Upload): Promise<void> {
  const { owner } = upload
  return recordEvents(deps, owner, 'upload', async () => {
    const place = await describePlace(deps, owner)
    if (!place) return []
    const { id, filename, bytes, contentType, sha256, createdAt, uploadedBy } = upload
    const object_attributes = {
      id,
      filename,
      size: bytes,
      content_type: contentType,
      sha256,
      created_at: createdAt,
      url: `${instanceUrl(deps.settings)}/api/v4/${owner.kind}s/${owner.id}/uploads/${id}`,
    }
    return [
      { body: { object_kind: 'upload' as const, event_name: name, ...place, object_attributes, user: uploadedBy } },
    ]
  })
}
