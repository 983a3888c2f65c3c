import sharp from 'sharp'
import { expect, test } from 'vitest'
import { drawThumbnail } from './draw-thumbnail.ts'

test('pictures are read one at a time, also after one that cannot be read', async () => {
  const picture = await sharp({ create: { width: 400, height: 200, channels: 3, background: '#2a6' } })
    .png()
    .toBuffer()
  let reading = 0
  let most = 0
  const read = (result: Promise<Buffer>) => async () => {
    most = Math.max(most, ++reading)
    try {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return await result
    } finally {
      reading--
    }
  }
  const failed = drawThumbnail(async () => {
    throw new Error('the store is away')
  })
  const drawn = [1, 2, 3].map(() => drawThumbnail(read(Promise.resolve(picture))))
  await expect(failed).rejects.toThrow('the store is away')
  for (const thumbnail of await Promise.all(drawn)) {
    expect(await sharp(thumbnail).metadata()).toMatchObject({ format: 'webp', width: 192, height: 96 })
  }
  expect(most).toBe(1)
})
