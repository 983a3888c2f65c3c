import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { wrongUsage } from '../exit.ts'

const compress = promisify(gzip)
/** Smaller reports are sent as they are: their compression saves no time. */
const minCompressedBytes = 16 * 1024

/** Reads a report and compresses it unless it is compressed already. The server reads both. */
export async function readReport(cwd: string, path: string): Promise<File> {
  const bytes = await readFile(resolve(cwd, path))
  if (bytes.length === 0) throw wrongUsage(`${path} is empty. Did the scanner fail?`)
  const name = basename(path)
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
  if (isCompressed || bytes.length < minCompressedBytes) return new File([bytes], name)
  return new File([await compress(bytes)], `${name}.gz`, { type: 'application/gzip' })
}
