import type { FileOptions } from '@alcove/client'
import { api } from '../../../data/api.ts'
import { decodeSegment } from '../../../data/own-address.ts'
import type { StoredFile } from '../owner.ts'

const pattern = /^\/-\/(?<kind>project|group)\/(?<id>\d+)\/uploads\/(?<secret>[^/]+)\/(?<name>[^/]+)$/

/** Fetches a file, or its first bytes. */
export function fetchFile({ fullPath }: StoredFile, options: FileOptions): Promise<Blob> {
  const { kind, id = '', secret = '', name = '' } = pattern.exec(fullPath)?.groups ?? {}
  const operation =
    kind === 'group'
      ? 'GET /-/group/{id}/uploads/{secret}/{filename}'
      : 'GET /-/project/{id}/uploads/{secret}/{filename}'
  return api.file(operation, { path: { id, secret, filename: decodeSegment(name) } }, options)
}
