import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { constants, Script } from 'node:vm'

/** A loaded CommonJS program. */
export interface CachedProgram<Exports> {
  exports: Exports
  /** Stores what V8 has compiled so far in an existing folder, for the next start. Does nothing if the cache was used. */
  saveCache(folder: string): void
}

const fileName = 'cache/program.v8'
const digestBytes = 32

/**
 * Loads a program of ASCII characters with the code that V8 compiled for an earlier process, if it is in the folder.
 * Compiling is a third of a start. V8 rejects the code of another version or of other flags, but it does not compare the
 * source or detect damage, so a digest covers both.
 */
export function loadCached<Exports>(file: string, folder: string): CachedProgram<Exports> {
  const source = readFileSync(file, 'latin1')
  const cachedData = readCache(join(folder, fileName), source)
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: file,
    ...(cachedData && { cachedData }),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  const module = { exports: {} as Exports } // filled by the program
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
  return {
    exports: module.exports,
    saveCache(folder) {
      if (cachedData && script.cachedDataRejected === false) return
      writeCache(join(folder, fileName), source, script.createCachedData())
    },
  }
}

function readCache(path: string, source: string): Buffer | undefined {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch {
    return undefined
  }
  const data = bytes.subarray(digestBytes)
  return bytes.subarray(0, digestBytes).equals(digestOf(source, data)) ? data : undefined
}

/** Ignores errors, because the program works without a cache. */
function writeCache(path: string, source: string, data: Buffer): void {
  const partial = `${path}.${process.pid}`
  try {
    // The folder itself is not created: with PostgreSQL and a bucket there may be none.
    if (!existsSync(dirname(path))) mkdirSync(dirname(path))
    writeFileSync(partial, Buffer.concat([digestOf(source, data), data]))
    renameSync(partial, path)
  } catch {
    if (existsSync(partial)) rmSync(partial)
  }
}

function digestOf(source: string, data: Buffer): Buffer {
  return createHash('sha256').update(process.version).update(source, 'latin1').update(data).digest()
}
