import { readFileSync } from 'node:fs'

/** What `/version` answers: the release of GitLab whose dialect this is, and which build of ours. */
export const version = '18.9.0-alcove'

/** The commit this was built from; `unknown` when it runs from source. */
export const revision: string = readRevision()

function readRevision(): string {
  try {
    return readFileSync(new URL('../revision.txt', import.meta.url), 'utf8').trim() || 'unknown'
  } catch {
    return 'unknown'
  }
}
