import { execFileSync } from 'node:child_process'
import { appendFileSync, copyFileSync, cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const release = 'bookworm'
const certificates = '/etc/ssl/certs/ca-certificates.crt'

/** Arguments of buildah that keep its images in a folder. */
export type Buildah = (args: readonly string[]) => string

/**
 * Makes an image from packages of Debian and npm that stands in for an official image of Node, whose registry may be out
 * of reach: a minimal Debian with Node and npm in `/usr/local`.
 */
export function makeBaseImage(buildah: Buildah, folder: string, name: string): void {
  const [, major = ''] = /:(\d+)-slim$/.exec(name) ?? []
  const container = buildah(['from', 'scratch'])
  const root = buildah(['mount', container])
  const mirror = configuredMirror()
  execFileSync('debootstrap', ['--variant=minbase', release, root, ...(mirror ? [mirror] : [])], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  installNode(root, join(folder, 'node'), major)
  buildah(['config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', container])
  buildah(['commit', '--quiet', '--rm', container, name])
}

/** Returns the address of the archive that apt is configured to use, if it has the release. */
function configuredMirror(): string | undefined {
  const targets = execFileSync('apt-get', ['indextargets', '--format', '$(CODENAME) $(REPO_URI)'], { encoding: 'utf8' })
  return new RegExp(`^${release} (\\S+)$`, 'm').exec(targets)?.[1]
}

function installNode(root: string, folder: string, major: string): void {
  const node = `node-linux-${process.arch}`
  mkdirSync(folder)
  const options = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--silent']
  execFileSync('npm', ['install', ...options, `${node}@${major}`, 'npm@11'])
  const local = join(root, 'usr/local')
  mkdirSync(join(local, 'lib/node_modules'), { recursive: true })
  copyFileSync(join(folder, 'node_modules', node, 'bin/node'), join(local, 'bin/node'))
  cpSync(join(folder, 'node_modules/npm'), join(local, 'lib/node_modules/npm'), { recursive: true })
  for (const name of ['npm', 'npx']) {
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name))
  }
  // The registry of this machine, which may have a certificate of its own.
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  const settings = join(local, 'lib/node_modules/npm/npmrc')
  appendFileSync(settings, `registry=${registry}\n`)
  if (!existsSync(certificates)) return
  copyFileSync(certificates, join(local, 'lib/node_modules/npm/certificates.crt'))
  appendFileSync(settings, 'cafile=/usr/local/lib/node_modules/npm/certificates.crt\n')
}
