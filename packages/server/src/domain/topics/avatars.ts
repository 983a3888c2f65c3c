import { invalid } from '../../platform/failure.ts'
import type { ReceivedFile } from '../../platform/object-store/objects.ts'
import type { Deps } from '../deps.ts'
import { sanitizeFilename } from '../files/filename.ts'
import { detectImageType } from '../files/image-type.ts'
import type { TopicAvatar } from './topic.ts'
import { clearAvatars } from './topic-queries.ts'

const maxAvatarBytes = 200 * 1024
/** Allowed content types. As in GitLab, WebP is an allowed extension but not an allowed content type. */
const types = ['image/png', 'image/jpeg', 'image/gif', 'image/bmp', 'image/tiff', 'image/vnd.microsoft.icon']
const extensions = ['png', 'jpg', 'jpeg', 'gif', 'bmp', 'tiff', 'ico', 'webp']

/** Validates an uploaded avatar. Throws GitLab's error messages. */
export function readAvatar(file: ReceivedFile): TopicAvatar {
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

/** Removes avatars whose objects are lost. */
export async function dropAvatars({ db }: Deps, topicIds: readonly number[]): Promise<void> {
  await clearAvatars(db, topicIds)
}
