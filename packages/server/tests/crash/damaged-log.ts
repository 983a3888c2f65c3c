import { cp, mkdir, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { launch, startProcess } from '../process.ts'
import { openApi } from './api.ts'
import type { Chance } from './operations.ts'

const token = 'token-of-the-damaged-log'
const topics = 60

/**
 * Damages 16 bytes at random places in the log of a killed server and starts it. Each start must reject the log, or have
 * all acknowledged data; data must never be lost silently.
 */
export async function damageLog(folder: string, times: number, chance: Chance): Promise<Record<string, number>> {
  const env = { ALCOVE_BOOTSTRAP_TOKEN: token, ALCOVE_LOG_LEVEL: 'error' }
  const original = join(folder, 'original')
  await mkdir(original)
  const server = await startProcess({ env: { ...env, ALCOVE_DATA: original } })
  const api = openApi(server.url, token)
  for (let count = 0; count < topics; count++) await api.send('POST', '/topics', { name: `t${count}`, title: 'T' })
  await server.kill()

  const counts = { damaged: 0, refused: 0, complete: 0 }
  for (; counts.damaged < times; counts.damaged++) {
    const copy = join(folder, `copy-${counts.damaged}`)
    await cp(original, copy, { recursive: true })
    const place = await damage(join(copy, 'alcove.sqlite3-wal'), chance)
    if ((await startsWith({ ...env, ALCOVE_DATA: copy }, place)) === 'refused') counts.refused++
    else counts.complete++
  }
  return counts
}

async function damage(log: string, chance: Chance): Promise<number> {
  const place = chance.whole((await stat(log)).size - 16)
  const file = await open(log, 'r+')
  await file.write(chance.bytes(16), 0, 16, place)
  await file.close()
  return place
}

async function startsWith(env: Record<string, string>, place: number): Promise<'refused' | 'complete'> {
  const { child, output, ended } = await launch({ env })
  const address = () => /^Alcove serves (\S+)$/m.exec(output.stdout)?.[1]
  while (child.exitCode === null && !address()) await new Promise((resolve) => setTimeout(resolve, 20))
  try {
    const url = address()
    if (!url) {
      const { stderr } = await ended
      if (/damaged/.test(stderr)) return 'refused'
      throw new Error(`damage at byte ${place}: ${stderr}`)
    }
    const found = (await openApi(url, token).list('/topics')).length
    if (found !== topics) throw new Error(`damage at byte ${place}: ${topics - found} acknowledged topics are gone`)
    return 'complete'
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}
