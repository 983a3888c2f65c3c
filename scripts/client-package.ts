import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleFile } from './bundle.ts'

const manifest = fileURLToPath(new URL('../package.json', import.meta.url))
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'

/** Writes the command line as a package of npm without dependencies, which the server offers to pipelines. */
export async function packClient(program: string, target: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'alcove-client-'))
  try {
    const { version, license, engines } = JSON.parse(readFileSync(manifest, 'utf8'))
    const bin = { alcove: 'alcove.js' }
    mkdirSync(join(folder, 'package'))
    writeFileSync(
      join(folder, 'package/package.json'),
      JSON.stringify({ name: 'alcove', version, license, engines, type: 'module', bin }),
    )
    await bundleFile(program, join(folder, 'package/alcove.js'))
    const options = ['--ignore-scripts', '--silent', '--pack-destination', folder]
    execFileSync(npm, ['pack', ...options], { cwd: join(folder, 'package'), stdio: ['ignore', 'ignore', 'inherit'] })
    copyFileSync(join(folder, `alcove-${version}.tgz`), target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
