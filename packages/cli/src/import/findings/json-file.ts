import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { wrongUsage } from '../../exit.ts'
import type { Io } from '../../io.ts'

const maxBytes = 256 * 1024 * 1024

/** Reads a file of text. Throws when it is missing or larger than 256 MiB. */
export async function readSourceFile(io: Io, file: string): Promise<string> {
  const path = resolve(io.cwd, file)
  try {
    const { size } = await stat(path)
    if (size > maxBytes) throw wrongUsage(`${file} has more than ${maxBytes / 1024 / 1024} MiB. Divide it.`)
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    if (error instanceof TypeError) throw wrongUsage(`${file} is not UTF-8.`)
    throw error
  }
}

/** Reads a file with the responses of an API: a list, an object with a list, or several of them. */
export async function readJsonFile(io: Io, file: string): Promise<unknown> {
  const text = await readSourceFile(io, file)
  try {
    return JSON.parse(text)
  } catch {
    throw wrongUsage(`${file} is not JSON.`)
  }
}

/** Returns the entries of a list, of the named list of an object, or of each page of a list of such objects. */
export function entriesOf(value: unknown, name: string): unknown[] {
  const named = (one: unknown): unknown =>
    typeof one === 'object' && one !== null && Object.hasOwn(one, name) ? Reflect.get(one, name) : undefined
  const list = named(value)
  if (Array.isArray(list)) return list
  if (!Array.isArray(value)) return []
  return value.flatMap((one) => {
    const page = named(one)
    return Array.isArray(page) ? page : [one]
  })
}
