import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.ts'

const path = (name: string) => fileURLToPath(new URL(`../packages/server/${name}`, import.meta.url))

await bundle(path('src/main.ts'), path('dist'))

// Writes the commit into the build for /version. Without git, as in a downloaded archive, it is `unknown`.
let revision = 'unknown'
try {
  revision = execFileSync('git', ['rev-parse', '--short=11', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim()
} catch {}
writeFileSync(path('dist/revision.txt'), `${revision}\n`)
