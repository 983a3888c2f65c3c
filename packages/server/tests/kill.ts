import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { anySeed, crash } from './crash/crash.ts'

const { values } = parseArgs({ options: { kills: { type: 'string', default: '200' }, seed: { type: 'string' } } })
const seed = Number(values.seed ?? anySeed())
const folder = await mkdtemp(join(tmpdir(), 'alcove-kill-'))
const started = performance.now()
console.log(`seed ${seed}, data in ${folder}`)

const summary = await crash({
  folder,
  seed,
  kills: Number(values.kills),
  onKill: ({ kills, acknowledged }) => process.stdout.write(`\r${kills} kills, ${acknowledged} writes `),
})
console.log()
console.table({ ...summary, seconds: Math.round((performance.now() - started) / 1000) })
// Kept when something was wrong, to look at.
await rm(folder, { recursive: true })
