import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSbom, type LockFile } from './sbom.ts'

/*
 * Creates the files of a release in .tmp/release: the package, its bill of materials, the notes and the checksums.
 * `npm run release -- --dry-run` stops there; `npm run release` also tags the commit. Neither publishes anything.
 */
const folder = '.tmp/release'
const isDryRun = process.argv.includes('--dry-run')
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()

checkVersions()
if (!isDryRun && git('status', '--porcelain') !== '') fail('there are changes that are not committed')
const notes = notesOf(version)

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { stdio: ['ignore', 'ignore', 'inherit'] })
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile
writeFileSync(
  join(folder, `alcove-${version}.cdx.json`),
  `${JSON.stringify(createSbom(lock, version), undefined, 2)}\n`,
)
writeFileSync(join(folder, 'notes.md'), notes)
const sums = readdirSync(folder).map((name) => `${digestOf(join(folder, name))}  ${name}\n`)
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
for (const name of readdirSync(folder)) console.log(join(folder, name))

if (isDryRun) console.log(`Dry run: v${version} was not tagged.`)
else {
  git('tag', '--annotate', `v${version}`, '--file', join(folder, 'notes.md'), '--cleanup=verbatim')
  console.log(`Tagged v${version}. Next: git push origin v${version}, then npm publish ${folder}/alcove-${version}.tgz`)
}

/** The version is written in package.json; the files that cannot read it there must repeat it. */
function checkVersions(): void {
  const repeated: Record<string, string> = {
    'package-lock.json': `"version": "${version}"`,
    'packaging/compose.yaml': `image: alcove:${version}`,
    'packaging/helm/alcove/Chart.yaml': `appVersion: ${version}`,
    'docs/operating/install.md': `alcove-${version}.tgz`,
  }
  for (const [file, text] of Object.entries(repeated)) {
    if (!readFileSync(file, 'utf8').includes(text)) fail(`${file} does not have the version ${version}`)
  }
}

/** Returns the section of the changelog for a version. */
function notesOf(version: string): string {
  const [, ...sections] = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m)
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version)
  if (!section) fail(`CHANGELOG.md has no section ${version}`)
  return `# Alcove ${section?.trim()}\n`
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

function fail(why: string): never {
  console.error(`release: ${why}`)
  process.exit(1)
}
