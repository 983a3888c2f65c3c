import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

// Writes the commit into the build, for /version. Without git (a downloaded archive) it stays unknown.
let revision = 'unknown'
try {
  revision = execFileSync('git', ['rev-parse', '--short=11', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim()
} catch {}
writeFileSync(new URL('../packages/server/dist/revision.txt', import.meta.url), `${revision}\n`)
