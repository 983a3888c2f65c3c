import Type from 'typebox'
import { describeUpload } from '../../../domain/uploads/markdown.ts'
import type { Upload } from '../../../domain/uploads/upload.ts'

export const uploadView = Type.Object(
  {
    id: Type.Integer(),
    alt: Type.String(),
    url: Type.String(),
    full_path: Type.String(),
    markdown: Type.String(),
  },
  { title: 'Upload' },
)

export function viewUpload({ id, owner, secret, filename }: Upload) {
  const { alt, url, markdown } = describeUpload(filename, secret)
  const fullPath = `/-/${owner.kind}/${owner.id}/uploads/${secret}/${encodeURIComponent(filename)}`
  return { id, alt, url, full_path: fullPath, markdown }
}
