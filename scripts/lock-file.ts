import { readFileSync } from 'node:fs'

// npm leaves optional packages that a registry lacks out of the lock file without a word; `npm ci` then refuses it.
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

/** Looks where Node would: beside the package, and beside everything it is in. */
function isLocked(place: string, name: string): boolean {
  for (let folder = place; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in lock.packages) return true
    if (folder === '') return false
  }
}
