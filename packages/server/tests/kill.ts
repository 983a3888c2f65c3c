import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { anySeed, crash, openChance } from './crash/crash.ts'
import { damageLog } from './crash/damaged-log.ts'
import { killImport } from './crash/killed-import.ts'
import { killPostgres } from './crash/killed-postgres.ts'

/*
 * `npm run crash` injects faults that need real processes and take too long for the tests. `--only damage` runs one kind.
 */
const { values } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, seed: { type: 'string' }, only: { type: 'string' } },
})
const seed = Number(values.seed ?? anySeed())
const folder = await mkdtemp(join(tmpdir(), 'alcove-kill-'))
await chmod(folder, 0o755) // PostgreSQL runs as another user
console.log(`seed ${seed}, data in ${folder}`)

const faults: Record<string, (folder: string) => Promise<object>> = {
  import: (folder) => killImport(folder, 8),
  damage: (folder) => damageLog(folder, 10, openChance(seed)),
  postgres: (folder) => killPostgres(folder, 5),
  kills: (folder) =>
    crash({
      folder,
      seed,
      kills: Number(values.kills),
      onKill: ({ kills, acknowledged }) => process.stdout.write(`\r${kills} kills, ${acknowledged} writes `),
    }),
}
for (const [name, run] of Object.entries(faults)) {
  if (values.only !== undefined && values.only !== name) continue
  const started = performance.now()
  await mkdir(join(folder, name))
  const summary = await run(join(folder, name))
  console.log(`\n${name}`)
  console.table({ ...summary, seconds: Math.round((performance.now() - started) / 1000) })
}
// Keeps the folder for inspection after a failure.
await rm(folder, { recursive: true })
