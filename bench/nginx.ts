import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { multipart, upload } from './files.ts'
import { isAsked, type Options } from './options.ts'
import { type Running, readCpuMs, readMemory, trackProcess } from './processes.ts'
import { authorization, type Comparison } from './requests.ts'

const kib = 1024
interface Size {
  name: string
  bytes: number
  connections: number
  atMost: number
  uploadAim: number
  downloadAim: number
  isSentByWrk?: boolean
  seconds?: number
}

const sizes: readonly Size[] = [
  {
    name: '10 KB',
    bytes: 10 * kib,
    connections: 32,
    isSentByWrk: true,
    atMost: 1_000,
    uploadAim: 0.5,
    downloadAim: 0.3,
  },
  {
    name: '1 MB',
    bytes: kib * kib,
    connections: 4,
    isSentByWrk: true,
    seconds: 1,
    atMost: 100,
    uploadAim: 0.5,
    downloadAim: 0.9,
  },
  { name: '100 MB', bytes: 100 * kib * kib, connections: 2, atMost: 6, seconds: 15, uploadAim: 0.9, downloadAim: 1 },
]

export function hasNginx(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The largest size does not complete in a short round. */
export function sizesBesideNginx(options: Options): Size[] {
  const possible = options.seconds < 2 ? sizes.slice(0, 2) : sizes
  return possible.filter(({ name }) => isAsked(options, `nginx ${name}`))
}

/** Compares uploads and downloads of one size with nginx, which stores a PUT and serves static files. */
export async function nginxComparisons(
  server: Running,
  projectId: number,
  folder: string,
  { name, bytes, connections, isSentByWrk = false, atMost, uploadAim, downloadAim, seconds }: Size,
): Promise<Comparison[]> {
  const address = `/api/v4/projects/${projectId}/uploads`
  const content = randomBytes(bytes)
  const form = multipart(content)
  const { id } = await upload(server.url + address, content)
  await writeFile(join(folder, 'nginx', `${bytes}.bin`), content)
  const common = { connections, isSentByWrk, ...(seconds && { seconds }) }
  return [
    {
      ...common,
      name: `upload ${name} beside nginx`,
      aim: uploadAim,
      atMost,
      server: {
        paths: [address],
        method: 'POST',
        body: form.body,
        headers: { ...authorization, ...form.headers },
      },
      // Different names, like those of uploads.
      ceiling: {
        paths: Array.from({ length: 64 }, (_, index) => `/put/${bytes}-${index}.bin`),
        method: 'PUT',
        body: content,
      },
    },
    {
      ...common,
      name: `download ${name} beside nginx`,
      aim: downloadAim,
      atMost: 40 * atMost,
      server: { paths: [`${address}/${id}`], headers: authorization },
      ceiling: { paths: [`/${bytes}.bin`] },
    },
  ]
}

/** Returns a configuration with one worker, without a log, on loopback, with all files in the folder. */
export async function startNginx(folder: string): Promise<Running> {
  const root = join(folder, 'nginx')
  await mkdir(join(root, 'put'), { recursive: true })
  for (const path of [folder, root, join(root, 'put')]) await chmod(path, 0o777)
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  await writeFile(file, configuration(root, port))
  const startedAt = performance.now()
  const child = spawn('nginx', ['-c', file, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'inherit'] })
  trackProcess(child)
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  for (let attempt = 0; attempt < 100; attempt++) {
    if (
      await fetch(url)
        .then(() => true)
        .catch(() => false)
    )
      break
    await sleep(50)
  }
  const { pid = 0 } = child
  return {
    url,
    readyMs: performance.now() - startedAt,
    memory: () => readMemory(pid),
    cpuMs: () => readCpuMs(pid),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

function configuration(root: string, port: number): string {
  return `
daemon off;
master_process off;
pid ${root}/nginx.pid;
events { worker_connections 256; }
http {
  access_log off;
  error_log /dev/null;
  sendfile on;
  # After so many it would close under a request that is on its way: ECONNRESET.
  keepalive_requests 1000000000;
  client_max_body_size 0;
  client_body_temp_path ${root}/body;
  proxy_temp_path ${root}/proxy;
  fastcgi_temp_path ${root}/fastcgi;
  uwsgi_temp_path ${root}/uwsgi;
  scgi_temp_path ${root}/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${root};
    location /put/ { dav_methods PUT; }
  }
}
`
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}
