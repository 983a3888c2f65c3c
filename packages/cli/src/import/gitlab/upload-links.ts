import { RequestFailed } from '@alcove/client'
import type { Copy } from './copy.ts'
import { numberOf, type SourceRow, textOf } from './source-row.ts'

/** Secrets of links to uploads, by filename. */
export type FoundLinks = ReadonlyMap<string, ReadonlySet<string>>

/** Address of an upload in Markdown. */
export const linkPattern = /\/uploads\/([0-9a-f]{32})\/([^\s)"'<>\]]+)/

/**
 * Reads the texts of a project of GitLab for links to its uploads, because GitLab does not list the secrets: descriptions
 * and comments of issues and merge requests, releases, and comments on vulnerabilities. Texts that the token may not read
 * are reported.
 */
export async function findLinksOfProject(copy: Copy, project: SourceRow): Promise<FoundLinks> {
  const found = new Map<string, Set<string>>()
  const base = `/projects/${project['id']}`
  addLinks(found, textOf(project, 'description'))
  for (const noun of ['issues', 'merge_requests']) {
    await eachRow(copy, `${base}/${noun}`, async (row) => {
      addLinks(found, textOf(row, 'description'))
      if ((numberOf(row, 'user_notes_count') ?? 0) === 0) return
      await eachRow(copy, `${base}/${noun}/${row['iid']}/notes`, (note) => addLinks(found, textOf(note, 'body')))
    })
  }
  await eachRow(copy, `${base}/releases`, (row) => addLinks(found, textOf(row, 'description')))
  return found
}

async function eachRow(
  { source, report }: Copy,
  path: string,
  use: (row: SourceRow) => void | Promise<void>,
): Promise<void> {
  try {
    for await (const row of source.list(path)) await use(row)
  } catch (error) {
    if (!(error instanceof RequestFailed) || ![403, 404].includes(error.status)) throw error
    // Alcove has no issues, and a feature of GitLab may be turned off.
    if (error.status === 403) {
      report.skip({ kind: 'links to uploads', name: path, reason: 'the token may not read these texts' })
    }
  }
}

function addLinks(found: Map<string, Set<string>>, text: string | undefined): void {
  for (const [, secret = '', name = ''] of (text ?? '').matchAll(new RegExp(linkPattern, 'g'))) {
    const filename = decode(name)
    found.set(filename, (found.get(filename) ?? new Set()).add(secret))
  }
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
