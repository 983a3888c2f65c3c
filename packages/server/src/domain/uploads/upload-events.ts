import { instanceUrl } from '../../platform/settings/settings.ts'
import type { Deps } from '../deps.ts'
import { type DescribedPlace, describePlace } from '../hooks/describe-place.ts'
import type { HookOwner } from '../hooks/hook.ts'
import type { UploadEvent } from '../hooks/hook-event-body.ts'
import { recordEvents } from '../hooks/record.ts'
import { describeSamplePlace } from '../hooks/sample-place.ts'
import { sampleId, sampleUser } from '../hooks/sample-user.ts'
import type { Upload } from './upload.ts'

/**
 * Records a webhook event of an upload, in the transaction of the change. The event has the address of the upload in the
 * API, because the address in Markdown contains its secret.
 */
export function recordUploadEvent(deps: Deps, name: UploadEvent['event_name'], upload: Upload): Promise<void> {
  const { owner } = upload
  return recordEvents(deps, owner, 'upload', async () => {
    const place = await describePlace(deps, owner)
    return place ? [{ body: describe(deps, name, place, upload) }] : []
  })
}

/** Returns the event of an invented upload for a test delivery. */
export async function sampleUploadEvent(deps: Deps, owner: HookOwner): Promise<UploadEvent> {
  const place = await describeSamplePlace(deps, owner)
  return describe(deps, 'upload_created', place, {
    id: sampleId,
    owner: owner.kind === 'instance' ? { kind: 'project', id: sampleId } : owner,
    filename: 'sample.txt',
    bytes: 0,
    contentType: 'text/plain',
    sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    createdAt: deps.now(),
    uploadedBy: sampleUser,
  })
}

function describe(
  { settings }: Deps,
  name: UploadEvent['event_name'],
  place: DescribedPlace,
  upload: Omit<Upload, 'secret' | 'objectKey' | 'deletedAt' | 'scan'>,
) {
  const { id, owner, filename, bytes, contentType, sha256, createdAt, uploadedBy } = upload
  return {
    object_kind: 'upload' as const,
    event_name: name,
    ...place,
    object_attributes: {
      id,
      filename,
      size: bytes,
      content_type: contentType,
      sha256,
      created_at: createdAt,
      url: `${instanceUrl(settings)}/api/v4/${owner.kind}s/${owner.id}/uploads/${id}`,
    },
    user: uploadedBy,
  }
}
