import { readFileSync } from 'node:fs'

// npm silently omits optional packages that a registry lacks from the lock file; `npm ci` then fails.
interface Entry {
  optionalDependencies?: Record<string, string>
}
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Entry> }

for (const [place, { optionalDependencies = {} }] of Object.entries(lock.packages)) {
  for (const name of Object.keys(optionalDependencies)) {
    if (isLocked(place, name)) continue
    console.error(`package-lock.json: ${place} wants ${name}, which is missing; take another version of it`)
    process.exitCode = 1
  }
}

/** Searches where Node resolves packages: in the package's folder and in every folder above it. */
function isLocked(place: string, name: string): boolean {
  for (let folder = place; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in lock.packages) return true
    if (folder === '') return false
  }
}
