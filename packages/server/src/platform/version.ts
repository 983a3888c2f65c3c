import { readFileSync } from 'node:fs'

/** Version that `/version` returns: the compatible release of GitLab, and this program. */
export const version = '18.9.0-alcove'

/** Commit of this build; `unknown` when running from source. */
export const revision: string = readRevision()

function readRevision(): string {
  try {
    return readFileSync(new URL('revision.txt', import.meta.url), 'utf8').trim() || 'unknown'
  } catch {
    return 'unknown'
  }
}
