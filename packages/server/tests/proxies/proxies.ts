import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface RunningProxy {
  name: 'nginx' | 'haproxy'
  url: string
  /** Stops the proxy. */
  signal(): void
  stop(): Promise<void>
}

const page = new URL('../../../../docs/operating/proxy.md', import.meta.url)

/** Starts a proxy with the example configuration of the documentation. Its files are in the folder. */
export async function startProxy(
  name: RunningProxy['name'],
  upstreams: readonly number[],
  folder: string,
): Promise<RunningProxy> {
  const port = await freePort()
  const example = withPorts(await readExample(name), [port, ...upstreams])
  const file = join(folder, `${name}.conf`)
  await writeFile(file, name === 'nginx' ? nginxAround(example, folder) : example)
  const options = name === 'nginx' ? ['-c', file, '-e', join(folder, 'nginx.log')] : ['-db', '-q', '-f', file]
  const child = spawn(name, options, { stdio: ['ignore', 'inherit', 'inherit'] })
  const url = `http://127.0.0.1:${port}`
  await untilServing(name, child, url)
  return {
    name,
    url,
    signal: () => void child.kill('SIGTERM'),
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Returns a free port on loopback. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const closed = once(server, 'close')
  server.close()
  await closed
  if (address === null || typeof address === 'string') throw new Error('the probe has no port')
  return address.port
}

async function readExample(name: string): Promise<string> {
  const block = new RegExp(`\`\`\`${name}\\n(.*?)\`\`\``, 's').exec(await readFile(page, 'utf8'))?.[1]
  if (!block) throw new Error(`${page.pathname} has no example for ${name}`)
  return block
}

/** Replaces the ports of the example: 8080 for the proxy, 8081 and 8082 for the processes. */
function withPorts(example: string, ports: readonly number[]): string {
  const replaced = [8080, 8081, 8082].map((port) => `127.0.0.1:${port}`)
  for (const address of replaced) if (!example.includes(address)) throw new Error(`the example lacks ${address}`)
  return example.replace(/127\.0\.0\.1:808\d/g, (address) => `127.0.0.1:${ports[replaced.indexOf(address)]}`)
}

function nginxAround(example: string, folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/nginx.pid;
worker_processes 1;
events { worker_connections 512; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/nginx-${name};`).join('\n  ')}
  ${example}
}`
}

async function untilServing(name: string, child: ChildProcess, url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (child.exitCode !== null) break
    if (
      await fetch(`${url}/-/health`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
    await sleep(50)
  }
  child.kill('SIGKILL')
  throw new Error(`${name} did not begin to serve`)
}
