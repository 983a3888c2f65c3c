import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Appends lines, each with its line break, and resolves when they would survive a power failure. Opens the file anew, so
 * that a renamed file (log rotation) is replaced by a new one with the mode 0600. Existing bytes are never changed: a
 * line that an interrupted write has cut off is ended by a line break.
 */
export async function appendLines(path: string, lines: string): Promise<void> {
  const { O_APPEND, O_CREAT, O_RDWR } = constants
  const file = await open(path, O_RDWR | O_APPEND | O_CREAT, 0o600)
  try {
    const found = await file.stat()
    // Bytes written to a pipe or a device are not stored.
    if (!found.isFile()) throw new Error(`${path} is not a regular file`)
    await file.appendFile((await endsWithinLine(file, found.size)) ? `\n${lines}` : lines)
    await file.sync()
    if ((await file.stat()).nlink === 0) throw new Error(`${path} was deleted while it was written`)
  } finally {
    await file.close()
  }
  await syncFolder(dirname(path))
}

async function endsWithinLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() !== '\n'
}

/** Makes the name of a new file durable. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
