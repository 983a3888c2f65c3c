import {
  FileArchive,
  FileAudio,
  FileCode,
  FileImage,
  File as FileMark,
  FileText,
  FileVideo,
  type LucideIcon,
} from 'lucide-react'
import type { StoredFile } from '../owner.ts'

/** Kind of preview. `unknown` may be text, which the preview detects from the content. */
export type FileKind = 'image' | 'video' | 'audio' | 'pdf' | 'text' | 'unknown' | 'other'

/** Image types that every browser displays. */
const images = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/
const texts = /^text\/|[/+](json|xml|yaml|toml|javascript|ecmascript|x-sh|sql|graphql|x-ndjson|x-httpd-php|rtf)$/
/** Extensions of text files, some of which also belong to other media types. */
const textNames = /\.(ts|tsx|jsx|rs|go|py|rb|java|kt|c|h|cpp|cs|swift|log|ini|conf|env|lock|diff|patch|sarif|tf|bat)$/i

export function kindOf({ name, contentType }: Pick<StoredFile, 'name' | 'contentType'>): FileKind {
  const [type = ''] = contentType.toLowerCase().split(';')
  if (textNames.test(name)) return 'text'
  if (images.test(type)) return 'image'
  if (type === 'application/pdf') return 'pdf'
  if (type.startsWith('video/')) return 'video'
  if (type.startsWith('audio/')) return 'audio'
  if (texts.test(type)) return 'text'
  return type === 'application/octet-stream' || type === '' ? 'unknown' : 'other'
}

export function iconOf(file: Pick<StoredFile, 'name' | 'contentType'>): LucideIcon {
  if (/zip|tar|compressed|archive/.test(file.contentType)) return FileArchive
  switch (kindOf(file)) {
    case 'image':
      return FileImage
    case 'video':
      return FileVideo
    case 'audio':
      return FileAudio
    case 'pdf':
      return FileText
    case 'text':
      return /json|xml|javascript|html|css/.test(file.contentType) ? FileCode : FileText
    default:
      return FileMark
  }
}
