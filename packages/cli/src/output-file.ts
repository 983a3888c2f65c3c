import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Io } from './io.ts'

/** Writes a file and creates its folder. */
export async function writeOutputFile({ cwd }: Io, file: string, content: string | Uint8Array): Promise<void> {
  const path = resolve(cwd, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
}
