import Type from 'typebox'
import { describeUpload } from '../../../domain/uploads/markdown.ts'
import { scanStates } from '../../../domain/uploads/scans/upload-scan.ts'
import type { Upload } from '../../../domain/uploads/upload.ts'

export const scanStateView = Type.Enum([...scanStates], { description: 'State of the virus scan' })

export const uploadView = Type.Object(
  {
    id: Type.Integer(),
    alt: Type.String(),
    url: Type.String(),
    full_path: Type.String(),
    markdown: Type.String(),
    // Not in GitLab. Present when the server scans uploads.
    scan_state: Type.Optional(scanStateView),
  },
  { title: 'Upload' },
)

export function viewUpload({ id, owner, secret, filename, scan }: Upload) {
  const { alt, url, markdown } = describeUpload(filename, secret)
  const fullPath = `/-/${owner.kind}/${owner.id}/uploads/${secret}/${encodeURIComponent(filename)}`
  return {
    id,
    alt,
    url,
    full_path: fullPath,
    markdown,
    ...(scan.state !== 'not_scanned' && { scan_state: scan.state }),
  }
}
