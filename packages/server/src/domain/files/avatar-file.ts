import { invalid } from '../../platform/failure.ts'
import type { ReceivedFile } from '../../platform/object-store/objects.ts'
import { sanitizeFilename } from './filename.ts'
import { detectImageType } from './image-type.ts'

/** Image of a topic, project, group or user. */
export interface AvatarFile {
  objectKey: string
  filename: string
  contentType: string
  bytes: number
  /** Null for avatars of earlier versions. */
  sha256: string | null
}

const maxAvatarBytes = 200 * 1024
/** Allowed content types. As in GitLab, WebP is an allowed extension but not an allowed content type. */
const types = ['image/png', 'image/jpeg', 'image/gif', 'image/bmp', 'image/tiff', 'image/vnd.microsoft.icon']
const extensions = ['png', 'jpg', 'jpeg', 'gif', 'bmp', 'tiff', 'ico', 'webp']

/** Validates an uploaded avatar. Throws GitLab's error messages. */
export function readAvatar(file: ReceivedFile): AvatarFile {
  const filename = sanitizeFilename(file.filename)
  const extension = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? ''
  const contentType = detectImageType(file.head)
  const problems: string[] = []
  if (file.bytes > maxAvatarBytes) problems.push('is too big (should be at most 200 KiB)')
  if (!extensions.includes(extension)) problems.push(unsupported(extensions))
  if (!contentType || !types.includes(contentType)) problems.push(unsupported(types))
  if (problems.length > 0 || !contentType) throw invalid({ avatar: problems })
  return { objectKey: file.key, filename, contentType, bytes: file.bytes, sha256: file.sha256 }
}

function unsupported(supported: readonly string[]): string {
  return `file format is not supported. Please try one of the following supported formats: ${supported.join(', ')}`
}
