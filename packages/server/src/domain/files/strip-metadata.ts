import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex, pipeline } from 'node:stream'
import { unavailable } from '../../platform/failure.ts'
import { type Bytes, streamOf } from '../../platform/object-store/bytes.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { detectImageType } from './image-type.ts'
import { jpegStripper } from './strip-jpeg.ts'
import { pngStripper } from './strip-png.ts'
import { stripTiff } from './strip-tiff.ts'
import { webpStripper } from './strip-webp.ts'
import { readFully } from './tiff-directories.ts'

/**
 * Returns the transformation from an uploaded file to the stored one: removes the metadata of a JPEG, PNG,
 * WebP or TIFF, recognised by its first bytes, and copies any other file unchanged. A damaged picture loses the metadata that can be
 * found, is copied unchanged if its structure cannot be read, and is never rejected. Throws `unavailable` when a TIFF
 * cannot be written to the temporary folder. The returned body fails when the input fails, and destroys the input when
 * it is destroyed.
 */
export function metadataStripper(
  temporaryFolder: string,
): <Body extends Bytes>(head: Uint8Array, body: Body) => Body | Duplex {
  return (head, body) => {
    const kind = detectImageType(head)
    if (kind === 'image/jpeg') return pipeline(streamOf(body), jpegStripper(), () => {})
    if (kind === 'image/png') return pipeline(streamOf(body), pngStripper(), () => {})
    if (kind === 'image/webp') return pipeline(streamOf(body), webpStripper(), () => {})
    if (kind === 'image/tiff') return pipeline(streamOf(body), tiffStripper(temporaryFolder), () => {})
    return body
  }
}

/** Returns the folder for temporary files. With a bucket there may be no data folder. */
export function temporaryFolder({ s3, dataFolder }: Settings): string {
  return s3 ? tmpdir() : dataFolder
}

const sliceBytes = 64 * 1024

/** Strips a TIFF in a temporary file, because its structures may lie anywhere in the file and refer to any offset. */
function tiffStripper(folder: string): Duplex {
  let file: FileHandle | undefined
  let bytes = 0
  let sent = 0
  let isStripped = false
  let isAwaited = false

  const stream = new Duplex({
    construct(done) {
      settle(async () => {
        file = await openUnnamed(folder)
      }, done)
    },
    write(chunk: Buffer, _encoding, done) {
      settle(async () => {
        await file?.appendFile(chunk)
        bytes += chunk.length
      }, done)
    },
    final(done) {
      settle(async () => {
        if (file) await stripTiff(file, bytes)
        isStripped = true
        if (isAwaited) send()
      }, done)
    },
    read() {
      if (isStripped) send()
      else isAwaited = true
    },
    destroy(error, done) {
      settle(
        async () => file?.close(),
        (closing) => done(error ?? closing ?? null),
      )
    },
  })
  return stream

  function send(): void {
    settle(
      async () => {
        const slice = file && (await readFully(file, sent, Math.min(sliceBytes, bytes - sent)))
        sent += slice?.length ?? 0
        stream.push(slice?.length ? slice : null)
      },
      (error) => error && stream.destroy(error),
    )
  }
}

/** Opens a temporary file and unlinks it at once, so that no file is left over however the process ends. */
async function openUnnamed(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `.tiff-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await rm(path)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

function settle(work: () => Promise<void>, done: (error?: Error | null) => void): void {
  work().then(
    () => done(),
    (error: NodeJS.ErrnoException) =>
      done(error.syscall ? unavailable('the folder for temporary files', error.message) : error),
  )
}
