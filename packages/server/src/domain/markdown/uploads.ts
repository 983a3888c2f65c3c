/** Whose Markdown it is: uploads are addressed relative to it. */
export interface MarkdownContext {
  projectId?: number
  groupId?: number
  /** `https://host`, where the page is read outside this server. */
  origin?: string
}

const uploadAddress = /^\/uploads\/([0-9a-f]{32})\/([^/\\?#]+)([?#].*)?$/s

/** The address under which an upload can be fetched, or nothing when the target is no upload or nobody's. */
export function expandUpload(target: string, { projectId, groupId, origin = '' }: MarkdownContext): string | undefined {
  const owner =
    projectId !== undefined ? `project/${projectId}` : groupId !== undefined ? `group/${groupId}` : undefined
  const [, secret, written = '', rest = ''] = uploadAddress.exec(target) ?? []
  const filename = decodeOnce(written)
  if (!owner || !secret || filename === undefined || /^\.{0,2}$|[/\\]/.test(filename)) return undefined
  return `${origin}/-/${owner}/uploads/${secret}/${encodeURIComponent(filename)}${rest}`
}

/** The last part of an address, as a person would write it. */
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
