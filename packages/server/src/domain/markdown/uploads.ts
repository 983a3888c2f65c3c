/** Project or group of a Markdown text, to which its links to uploads are relative. */
export interface MarkdownContext {
  projectId?: number
  groupId?: number
  /** `https://host`, for pages that are read outside this server. */
  origin?: string
}

const uploadAddress = /^\/uploads\/([0-9a-f]{32})\/([^/\\?#]+)([?#].*)?$/s

/** Returns the URL of an upload, or `undefined` when the target is not an upload or has no owner. */
export function expandUpload(target: string, { projectId, groupId, origin = '' }: MarkdownContext): string | undefined {
  const owner =
    projectId !== undefined ? `project/${projectId}` : groupId !== undefined ? `group/${groupId}` : undefined
  const [, secret, written = '', rest = ''] = uploadAddress.exec(target) ?? []
  const filename = decodeOnce(written)
  if (!owner || !secret || filename === undefined || /^\.{0,2}$|[/\\]/.test(filename)) return undefined
  return `${origin}/-/${owner}/uploads/${secret}/${encodeURIComponent(filename)}${rest}`
}

/** Returns the decoded last segment of a URL. */
export function filenameIn(address: string): string {
  const path = address.split(/[?#]/, 1)[0] ?? ''
  const last = path.slice(path.lastIndexOf('/') + 1)
  return decodeOnce(last) ?? last
}

function decodeOnce(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
