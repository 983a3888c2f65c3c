import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle, bundleLatePackages, bundleProgram } from './bundle.ts'
import { packClient } from './client-package.ts'
import { storeCodeCache } from './code-cache.ts'
import { storeSchemaScript } from './schema-script.ts'

/*
 * Builds the server, the command line and the web UI (`npm run build`). A program whose sources have the same content as
 * at its last build, by the same release of Node, is left as it is.
 */
interface Program {
  /** Folder of the package; the build is written to its `dist`. */
  folder: string
  /** Files and folders that the build depends on, besides the folder itself. */
  inputs: string[]
  build: (folder: string) => unknown
}

const root = fileURLToPath(new URL('../', import.meta.url))
const tools = ['package-lock.json', 'scripts/bundle.ts']
const scripts = ['scripts/code-cache.ts', 'scripts/schema-script.ts']
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'

const programs: Program[] = [
  {
    folder: 'packages/server',
    inputs: [...scripts, ...tools],
    async build(folder) {
      await bundle(join(folder, 'src/main.ts'), join(folder, 'dist'), { hasWorkers: true })
      await bundleProgram(join(folder, 'src/program.ts'), join(folder, 'dist/program.cjs'))
      await bundleLatePackages(join(folder, 'dist'))
      await storeSchemaScript(join(folder, 'dist'))
      await storeCodeCache(join(folder, 'dist'))
    },
  },
  {
    folder: 'packages/cli',
    inputs: ['packages/client', 'package.json', 'scripts/client-package.ts', ...tools],
    async build(folder) {
      await bundle(join(folder, 'src/main.ts'), join(folder, 'dist'))
      await packClient(join(folder, 'src/main.ts'), join(folder, 'dist/alcove.tgz'))
    },
  },
  {
    folder: 'packages/web',
    inputs: ['packages/client', ...tools],
    build: (cwd) => execFileSync(npm, ['run', '--silent', 'build'], { cwd, stdio: 'inherit' }),
  },
]

for (const { folder, inputs, build } of programs) {
  const place = join(root, folder)
  if (!existsSync(join(place, 'src'))) continue
  const stamp = join(place, 'dist/.inputs')
  const digest = `${digestOf([folder, ...inputs])} ${process.version}`
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) continue
  await build(place)
  writeFileSync(stamp, digest)
}
writeFileSync(join(root, 'packages/server/dist/revision.txt'), `${revision()}\n`)

function digestOf(names: readonly string[]): string {
  const hash = createHash('sha256')
  for (const name of names.flatMap(filesOf)) hash.update(`${name}\0`).update(readFileSync(join(root, name)))
  return hash.digest('hex')
}

/** Lists a file, or the files below a folder without builds, packages and tests. */
function filesOf(name: string): string[] {
  if (!statSync(join(root, name)).isDirectory()) return [name]
  const entries = readdirSync(join(root, name)).sort()
  return entries
    .filter((entry) => !['dist', 'node_modules', 'tests'].includes(entry) && !/\.test\.tsx?$/.test(entry))
    .flatMap((entry) => filesOf(`${name}/${entry}`))
}

/** Returns the commit for /version. Without git, as in a downloaded archive, it is `unknown`. */
function revision(): string {
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: 'pipe' } as const
    return execFileSync('git', ['rev-parse', '--short=11', 'HEAD'], options).trim()
  } catch {
    return 'unknown'
  }
}
