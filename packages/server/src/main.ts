#!/usr/bin/env node
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadCached } from './platform/code-cache.ts'
import { postponeOptimization, setProcessFlags } from './platform/v8-flags.ts'
import type { runProgram } from './program.ts'

// Entry point of the server. The build has the program in one file, which is loaded with V8's code cache.
setProcessFlags()
if (import.meta.url.endsWith('.ts')) {
  const { runProgram } = await import('./program.ts')
  await runProgram(() => {})
} else {
  const file = fileURLToPath(new URL('program.cjs', import.meta.url))
  const dataFolder = resolve(process.env['ALCOVE_DATA'] || 'data')
  const program = loadCached<{ runProgram: typeof runProgram }>(file, dataFolder, {
    beforeRun: postponeOptimization,
  })
  await program.exports.runProgram(program.saveCache)
}
