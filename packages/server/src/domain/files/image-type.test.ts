import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { detectImageType } from './image-type.ts'

const data = new URL('../../../../../../shared/data/', import.meta.url).pathname

test.runIf(existsSync(data))('the type of every test attachment is detected by its content', () => {
  const { files } = JSON.parse(readFileSync(join(data, 'expected.json'), 'utf8')) as {
    files: { file: string; kind: string; media_type_by_content: string; hazards?: string[] }[]
  }
  const known = ['png', 'jpeg', 'gif', 'bmp', 'tiff', 'vnd.microsoft.icon', 'webp'].map((name) => `image/${name}`)
  for (const { file, kind, media_type_by_content: type } of files) {
    // A PNG signature without content is a damaged PNG.
    if (kind !== 'attachment' || file.endsWith('/no-extension')) continue
    const head = readFileSync(join(data, file)).subarray(0, 4100)
    expect(detectImageType(head), file).toBe(known.includes(type) ? type : undefined)
  }
})

test('a bitmap is distinguished from a text that begins with BM', () => {
  const bitmap = Buffer.from('424d46000000000000003600000028000000020000000200000001001800', 'hex')
  expect(detectImageType(bitmap)).toBe('image/bmp')
  expect(detectImageType(Buffer.from('424d1a000000000000001a0000000c000000010001000100180000', 'hex'))).toBe(
    'image/bmp',
  )
  expect(detectImageType(Buffer.from('BMW price list, all models of the year'))).toBeUndefined()
})

test('TIFF is detected in both byte orders', () => {
  expect(detectImageType(Buffer.from('4d4d002a00000008', 'hex'))).toBe('image/tiff')
  expect(detectImageType(Buffer.from('49492a0008000000', 'hex'))).toBe('image/tiff')
})

test('any bytes can be checked', () => {
  expect(detectImageType(new Uint8Array())).toBeUndefined()
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (head) => void detectImageType(head)))
})
