import { expect, test } from 'vitest'
import { describeUpload, isEmbeddable, isShownInline, kindOf } from './markdown.ts'

const secret = '3f9c0a1be27d4458a6b1c2d3e4f50617'

test('an upload is described in GitLab’s format', () => {
  expect(describeUpload('floor_plan.png', secret)).toEqual({
    alt: 'floor_plan',
    url: `/uploads/${secret}/floor_plan.png`,
    markdown: `![floor_plan](/uploads/${secret}/floor_plan.png)`,
  })
})

test.each([
  ['a.tar.gz', 'a.tar.gz', '[a.tar.gz]'],
  ['archive.tar.png', 'archive.tar', '![archive.tar]'],
  ['PHOTO.JPG', 'PHOTO', '![PHOTO]'],
  ['README', 'README', '[README]'],
  ['.png', '.png', '[.png]'],
  ['logo.svg', 'logo.svg', '![logo.svg]'],
  ['notes.txt', 'notes.txt', '[notes.txt]'],
  ['scan.tif', 'scan.tif', '[scan.tif]'],
  ['a]b.png', 'a]b', '![a\\]b]'],
])('%s has the alt text %s and the link %s', (filename, alt, text) => {
  expect(describeUpload(filename, secret)).toEqual({
    alt,
    url: `/uploads/${secret}/${filename}`,
    markdown: `${text}(/uploads/${secret}/${filename})`,
  })
})

test('kinds are determined by extension, in any case', () => {
  const table = {
    image: 'png jpg jpeg gif bmp tiff ico webp PNG Jpeg',
    video: 'mp4 m4v mov webm ogv',
    audio: 'mp3 oga ogg spx wav',
    svg: 'svg SVG',
    other: 'pdf txt zip tif heic avif opus flac mpg constructor __proto__',
  }
  for (const [kind, extensions] of Object.entries(table)) {
    for (const extension of extensions.split(' ')) expect(kindOf(`x.${extension}`), extension).toBe(kind)
  }
})

test('SVG is neither embeddable nor inline, PDF is inline only', () => {
  expect(['a.png', 'a.mp4', 'a.svg', 'a.pdf', 'a.html'].map(isEmbeddable)).toEqual([true, true, false, false, false])
  expect(['a.png', 'a.mp4', 'a.svg', 'a.PDF', 'a.html'].map(isShownInline)).toEqual([true, true, false, true, false])
})
