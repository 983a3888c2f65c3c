import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, pipeline, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { makeJpeg, metadataSegments } from '../../testing/pictures/jpeg.ts'
import { makeTiff } from '../../testing/pictures/tiff.ts'
import { metadataStripper } from './strip-metadata.ts'

const folder = await mkdtemp(join(tmpdir(), 'alcove-strip-'))
afterAll(() => rm(folder, { recursive: true }))
const stripper = metadataStripper(folder)
const strip = (content: Buffer, chunks: readonly Buffer[] = [content]) =>
  buffer(stripper(content.subarray(0, 4100), Readable.from(chunks, { objectMode: false })))

const jpeg = makeJpeg(...metadataSegments)
const tiff = makeTiff({ order: 'II', isBig: false }, [
  [
    [256, 3, [1]],
    [273, 4, { data: [Buffer.alloc(300_000, 'pixels')] }],
    [279, 4, [300_000]],
    [315, 2, 'Secret Person'],
  ],
])

test('JPEG and TIFF are detected by content and lose their metadata', async () => {
  for (const content of [jpeg, tiff]) {
    expect(content.includes('Secret')).toBe(true)
    expect((await strip(content)).includes('Secret')).toBe(false)
  }
  expect((await strip(tiff)).length).toBe(tiff.length)
})

test('other content is returned unchanged in any chunks', async () => {
  const beginnings = ['', 'GIF89a', '\x89PNG\r\n\x1a\n', '<svg onload=', 'RIFF____WEBP', '%PDF-1.7', 'MZ', 'PK\x03\x04']
  const other = fc.tuple(fc.constantFrom(...beginnings), fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 6 }))
  await fc.assert(
    fc.asyncProperty(other, async ([beginning, pieces]) => {
      const chunks = [Buffer.from(beginning, 'latin1'), ...pieces.map((piece) => Buffer.from(piece))]
      const content = Buffer.concat(chunks)
      fc.pre(!/^(ffd8ff|49492[ab]00|4d4d002[ab])/.test(content.toString('hex', 0, 4)))
      expect((await strip(content, chunks)).equals(content)).toBe(true)
    }),
  )
})

test('a TIFF can arrive in chunks of any size', async () => {
  const whole = await strip(tiff)
  for (const size of [997, 65_536, 200_000]) {
    const chunks = Array.from({ length: Math.ceil(tiff.length / size) }, (_, index) =>
      tiff.subarray(index * size, (index + 1) * size),
    )
    expect((await strip(tiff, chunks)).equals(whole)).toBe(true)
  }
})

describe.runIf(existsSync('/proc/self/fd'))('the temporary file of a TIFF', () => {
  test('has no name while it is in use', async () => {
    const body = new PassThrough()
    const stripped = stripper(tiff, body)
    body.write(tiff)
    await expect.poll(openFiles).toBe(1)
    await expect.poll(() => readdir(folder)).toEqual([])
    body.end()
    await buffer(stripped)
    await expect.poll(openFiles).toBe(0)
  })

  test('is closed when the body fails, and the error is passed on', async () => {
    const body = new PassThrough()
    const stripped = stripper(tiff, body)
    body.write(tiff)
    await expect.poll(openFiles).toBe(1)
    const failure = new Error('the line went dead')
    body.destroy(failure)
    await expect(buffer(stripped)).rejects.toBe(failure)
    await expect.poll(openFiles).toBe(0)
  })

  test('is closed when the reader stops before the end, in the middle, or before the start', async () => {
    for (const reads of [0, 1]) {
      const body = new PassThrough()
      const stripped = stripper(tiff, body)
      body.write(tiff)
      if (reads > 0) {
        body.end()
        await new Promise((resolve) => stripped.once('data', resolve))
      } else {
        await expect.poll(openFiles).toBe(1)
      }
      stripped.destroy()
      await expect.poll(openFiles).toBe(0)
      await expect.poll(() => body.destroyed).toBe(true)
    }
    stripper(tiff, new PassThrough()).destroy()
    await expect.poll(openFiles).toBe(0)
  })

  test('is read only as fast as its reader consumes it', async () => {
    const stripped = stripper(tiff, Readable.from([tiff], { objectMode: false }))
    let taken = 0
    stripped.on('data', (chunk: Buffer) => {
      taken += chunk.length
      stripped.pause()
    })
    await expect.poll(() => taken).toBeGreaterThan(0)
    await delay(20)
    expect(taken).toBeLessThan(tiff.length)
    stripped.destroy()
  })

  test('fails the body when it cannot be created, with the name of the folder', async () => {
    const file = join(folder, 'no-folder')
    await writeFile(file, '')
    const stripped = metadataStripper(file)(tiff, Readable.from([tiff], { objectMode: false }))
    await expect(buffer(stripped)).rejects.toThrow(/folder for temporary files.*EEXIST/)
    await rm(file)
  })
})

test('a failed or abandoned JPEG closes the other stream', async () => {
  const failure = new Error('the line went dead')
  const failing = new PassThrough()
  const stripped = stripper(jpeg, failing)
  failing.destroy(failure)
  await expect(buffer(stripped)).rejects.toBe(failure)

  const unwanted = new PassThrough()
  const sink = new PassThrough()
  pipeline(stripper(jpeg, unwanted), sink, () => {})
  sink.destroy()
  await expect.poll(() => unwanted.destroyed).toBe(true)
})

const attachments = new URL('../../../../../../shared/data/attachments/', import.meta.url).pathname
describe.runIf(existsSync(attachments))('the test attachments', async () => {
  const names = existsSync(attachments) ? await readdir(attachments) : []
  const read = (name: string) => readFileSync(join(attachments, name))

  test('lose metadata if they have any, and are unchanged otherwise', async () => {
    const changed = []
    for (const name of names) {
      const stripped = await strip(read(name))
      if (!stripped.equals(read(name))) changed.push(name)
    }
    expect(changed.sort()).toEqual([
      'comment-php.jpg',
      'gps-exif.jpg',
      'orientation-6.jpg',
      'photo.webp',
      'scan.tiff',
      'shouting.JPG',
      'text-chunk-script.png',
    ])
  })

  test('equal the image without metadata after stripping', async () => {
    for (const name of ['comment-php.jpg', 'gps-exif.jpg', 'shouting.JPG']) {
      expect([name, (await strip(read(name))).equals(read('plain.jpg'))]).toEqual([name, true])
    }
  })

  test('include a scan that loses place and person, and keeps its length and pixels', async () => {
    const scan = read('scan.tiff')
    const stripped = await strip(scan)
    expect([scan.includes('Jane'), stripped.includes('Jane')]).toEqual([true, false])
    expect(stripped.length).toBe(scan.length)
    expect(stripped.subarray(428, 428 + 840).equals(scan.subarray(428, 428 + 840))).toBe(true)
  })

  test('include a scan that keeps its length and pixels wherever it is cut off', async () => {
    const scan = read('scan.tiff')
    for (let length = 4; length < scan.length; length += 7) {
      const stripped = await strip(scan.subarray(0, length))
      expect(stripped.length).toBe(length)
      expect(stripped.subarray(428).equals(scan.subarray(428, length))).toBe(true)
      if (length > 300) expect(stripped.includes('Jane')).toBe(false)
    }
  })
})

/** Returns the temporary files that this process has open. */
async function openFiles(): Promise<number> {
  const links = (await readdir('/proc/self/fd')).map((name) => readlink(`/proc/self/fd/${name}`).catch(() => ''))
  return (await Promise.all(links)).filter((path) => path.startsWith(join(folder, '.tiff-'))).length
}
