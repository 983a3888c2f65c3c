import { execFile, execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Load, Measured } from './load.ts'

export function hasWrk(): boolean {
  try {
    execFileSync('wrk', ['-v'], { stdio: 'ignore' })
    return true
  } catch (error) {
    // `wrk -v` prints its version and exits with 1.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

type WrkLoad = Pick<Load, 'url' | 'paths' | 'method' | 'headers' | 'body' | 'connections' | 'seconds'>

/**
 * Sends requests with wrk instead of autocannon. wrk takes a fifth of the CPU, so it does not slow down fast servers on a few
 * cores. Rounds the duration up to whole seconds, ignores `bodies` and `atMost`, and does not reject redirects.
 */
export async function sendWithWrk(load: WrkLoad): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-wrk-'))
  try {
    const script = join(folder, 'requests.lua')
    await writeFile(join(folder, 'paths'), load.paths.join('\n'))
    await writeFile(join(folder, 'body'), load.body ?? '')
    await writeFile(script, scriptOf(load, folder))
    const duration = `--duration=${Math.ceil(load.seconds)}s`
    const args = [
      '--threads=1',
      `--connections=${load.connections}`,
      duration,
      '--timeout=60s',
      '--latency',
      '--script',
      script,
    ]
    const { stdout } = await promisify(execFile)('wrk', [...args, load.url])
    const [failed] = /^ *(Non-2xx|Socket errors).*/m.exec(stdout) ?? []
    if (failed) throw new Error(`${load.url}${load.paths[0]}: ${failed.trim()}`)
    return {
      requests: Number(/(\d+) requests in/.exec(stdout)?.[1]),
      requestsPerSecond: Number(/Requests\/sec: *([\d.]+)/.exec(stdout)?.[1]),
      medianMs: latencyMs(stdout, 50),
      p99Ms: latencyMs(stdout, 99),
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

const msPerUnit: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 }

/** Returns a percentile of the latencies that wrk prints. */
function latencyMs(printed: string, percent: number): number {
  const [, value, unit = ''] = new RegExp(`^ *${percent}% *([\\d.]+)(us|ms|s|m)`, 'm').exec(printed) ?? []
  return Number(value) * (msPerUnit[unit] ?? Number.NaN)
}

/** Returns a script that requests the paths in turn, starting at a random one. */
function scriptOf({ method, headers = {}, body }: WrkLoad, folder: string) {
  const quoted = (text: string) => JSON.stringify(text) // for ASCII, also a valid Lua string
  const lines = Object.entries(headers).map(([name, value]) => `headers[${quoted(name)}] = ${quoted(value)}`)
  return `
local headers, paths = {}, {}
${lines.join('\n')}
for path in io.lines(${quoted(join(folder, 'paths'))}) do paths[#paths + 1] = path end
local file = io.open(${quoted(join(folder, 'body'))}, 'rb')
local body = ${body ? "file:read('*a')" : 'nil'}
local next = ${randomInt(1_000_000)}
request = function()
  next = next % #paths + 1
  return wrk.format(${quoted(method ?? 'GET')}, paths[next], headers, body)
end
`
}
