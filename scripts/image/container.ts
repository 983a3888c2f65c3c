import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Settings of an image that decide how its process runs. */
export interface ImageConfig {
  User: string
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  WorkingDir: string
  Healthcheck: { Test: string[] }
}

export interface ContainerOptions {
  config: ImageConfig
  /** Folder with the files of the image. */
  root: string
  /** Folder that is mounted at /data. */
  data: string
  env: Record<string, string>
  /** Replaces the command of the image. */
  command?: string[]
}

export interface Container {
  /** Waits until the process has printed a text. */
  printed: (text: string) => Promise<void>
  /** Runs a command inside as the same user. Returns its exit code. */
  run: (command: readonly string[]) => number
  /** Sends SIGTERM. Returns the exit code and the time until the process ended. */
  stop: () => Promise<{ code: number | null; ms: number }>
}

const maxWaitMs = 180_000

/**
 * Runs the process of an image as a container engine does with `--read-only --tmpfs /tmp --cap-drop ALL
 * --security-opt no-new-privileges`: as process 1 of its namespaces, on the network of this machine.
 */
export function startContainer({ config, root, data, env, command = config.Cmd }: ContainerOptions): Container {
  const settings = [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)]
  const script = [
    `mount --bind '${root}' '${root}'`,
    `mount --bind '${data}' '${root}/data'`,
    `mount -t proc proc '${root}/proc'`,
    `mount --rbind /dev '${root}/dev'`,
    `mount -t tmpfs -o mode=1777 tmpfs '${root}/tmp'`,
    `mount -o remount,bind,ro '${root}'`,
    `cd '${root}'`,
    'exec chroot . "$@"',
  ].join(' && ')
  const asUser = [...unprivileged(config), 'env', '-i', `--chdir=${config.WorkingDir}`, ...settings]
  const namespaces = ['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child']
  const program = [...asUser, ...config.Entrypoint, ...command]
  const child = spawn('unshare', [...namespaces, 'sh', '-ec', script, 'sh', ...program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  process.once('exit', () => child.kill('SIGKILL'))

  return {
    async printed(text) {
      for (let waited = 0; !output.includes(text); waited += 100) {
        if (child.exitCode !== null || waited > maxWaitMs) throw new Error(`no "${text}" in the output:\n${output}`)
        await sleep(100)
      }
    },
    run(inside) {
      const enter = ['--target', String(firstProcess(child)), '--mount', '--pid', '--root']
      try {
        execFileSync('nsenter', [...enter, ...asUser, ...inside], { stdio: 'ignore' })
        return 0
      } catch (error) {
        return (error as { status?: number }).status ?? -1 // thrown by execFileSync
      }
    },
    async stop() {
      const startedAt = performance.now()
      process.kill(firstProcess(child), 'SIGTERM')
      const [code] = await ended
      return { code, ms: performance.now() - startedAt }
    },
  }
}

/** Command that drops every privilege. */
function unprivileged({ User }: ImageConfig): string[] {
  const [uid = '', gid = ''] = User.split(':')
  return ['setpriv', '--reuid', uid, '--regid', gid, '--clear-groups', '--no-new-privs', '--bounding-set=-all']
}

/** Returns the number by which this machine knows process 1 of the container. */
function firstProcess({ pid }: ChildProcess): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  return Number(children[0])
}
