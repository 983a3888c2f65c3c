import { createReadStream } from 'node:fs'
import { opendir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import {
  type AdvisoryLimits,
  type AdvisoryText,
  isAdvisoryName,
  limitedFiles,
  readBytes,
  textOf,
} from './advisory-file.ts'
import { WrongFeed } from './feed.ts'

/** Reads the `.json` files of a folder and of those below it one by one. Throws `WrongFeed` beyond the limits. */
export async function* readFolder(folder: string, limits: AdvisoryLimits): AsyncGenerator<AdvisoryText, void> {
  const add = limitedFiles(limits)
  let isEmpty = true
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (!entry.isFile() || !isAdvisoryName(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path)
    isEmpty = false
    add(name, (await stat(path)).size)
    yield { place: name, text: textOf(await readBytes(createReadStream(path), name, limits), name) }
  }
  if (isEmpty) throw new WrongFeed('the folder has no JSON files')
}
