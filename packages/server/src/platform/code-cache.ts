import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { constants, Script } from 'node:vm'
import { allocateMapped } from './mapped-buffer.ts'

/** A loaded CommonJS program. */
export interface CachedProgram<Exports> {
  exports: Exports
  /** Stores what V8 has compiled so far in an existing folder, for the next start. Does nothing if a cache was used. */
  saveCache(folder: string): void
}

/** Place of the cache in the data folder. */
export const cacheInFolder = 'cache/program.v8'
const digestBytes = 32

/**
 * Loads a program with the code that V8 compiled for an earlier process, if it is beside the program, where the build puts
 * it, or in the folder. Compiling is a third of a start. The file contains ASCII characters: one function with the
 * parameters of a CommonJS module. V8 does not compare the source or detect damage, so a digest covers both.
 * `beforeRun` may change the flags, if they are changed back before the cache is saved.
 */
export function loadCached<Exports>(
  file: string,
  folder: string,
  { beforeRun = () => {} }: { beforeRun?: () => void } = {},
): CachedProgram<Exports> {
  const { script, sourceDigest } = compile(file, [cacheBeside(file), join(folder, cacheInFolder)])
  const isCached = script.cachedDataRejected === false
  const module = { exports: {} as Exports } // filled by the program
  beforeRun()
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
  return {
    exports: module.exports,
    saveCache(folder) {
      if (!isCached) writeCache(join(folder, cacheInFolder), sourceDigest, script.createCachedData())
    },
  }
}

/** Returns the path of the cache that belongs to a program. */
export const cacheBeside = (program: string): string => program.replace(/\.cjs$/, '.v8')

/**
 * Compiles the file with the first cache that is valid. The text and the cache are megabytes, so nothing but V8 refers to
 * them afterwards.
 */
function compile(file: string, cachePaths: readonly string[]): { script: Script; sourceDigest: Buffer } {
  const source = readMapped(file)
  const sourceDigest = createHash('sha256').update(source).digest()
  let cachedData: Buffer | undefined
  for (const path of cachePaths) cachedData ??= readCache(path, sourceDigest)
  const script = new Script(source.toString('latin1'), {
    filename: file,
    ...(cachedData && { cachedData }),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  return { script, sourceDigest }
}

function readCache(path: string, sourceDigest: Buffer): Buffer | undefined {
  let bytes: Buffer
  try {
    bytes = readMapped(path)
  } catch {
    return undefined
  }
  const data = bytes.subarray(digestBytes)
  return bytes.subarray(0, digestBytes).equals(digestOf(sourceDigest, data)) ? data : undefined
}

/**
 * Reads a file into a mapped buffer. After an ordinary block of several megabytes was freed, glibc would keep more unused memory, and
 * put blocks of that size between small ones (decision 143).
 */
function readMapped(path: string): Buffer {
  const descriptor = openSync(path, 'r')
  try {
    const { size } = fstatSync(descriptor)
    const bytes = Buffer.from(allocateMapped(size))
    let read = 0
    for (let more = 1; more > 0 && read < size; read += more)
      more = readSync(descriptor, bytes, read, size - read, read)
    return bytes.subarray(0, read)
  } finally {
    closeSync(descriptor)
  }
}

/** Ignores errors, because the program works without a cache. */
function writeCache(path: string, sourceDigest: Buffer, data: Buffer): void {
  const partial = `${path}.${process.pid}`
  try {
    // The folder itself is not created: with PostgreSQL and a bucket there may be none.
    if (!existsSync(dirname(path))) mkdirSync(dirname(path))
    writeFileSync(partial, Buffer.concat([digestOf(sourceDigest, data), data]))
    renameSync(partial, path)
  } catch {
    if (existsSync(partial)) rmSync(partial)
  }
}

/** V8 rejects code that was compiled with other flags, which options of Node or of the user set. */
const environment = (): string => `${process.version} ${cachedDataVersionTag()}`

function digestOf(sourceDigest: Buffer, data: Buffer): Buffer {
  return createHash('sha256').update(environment()).update(sourceDigest).update(data).digest()
}
