import { expect, test } from 'vitest'
import { expandUpload, filenameIn } from './uploads.ts'

const secret = '3f9c0a1be27d4458a6b1c2d3e4f50617'
const inProject = (target: string) => expandUpload(target, { projectId: 7 })

test.each([
  ['a.png', 'a.png'],
  ['Grüße.txt', 'Gr%C3%BC%C3%9Fe.txt'],
  ['Gr%C3%BC%C3%9Fe.txt', 'Gr%C3%BC%C3%9Fe.txt'],
  ['a+b.c-d_e.tar.gz', 'a%2Bb.c-d_e.tar.gz'],
  ['clip.mp4?raw=1#t=10', 'clip.mp4?raw=1#t=10'],
])('%s resolves to %s', (written, filename) => {
  expect(inProject(`/uploads/${secret}/${written}`)).toBe(`/-/project/7/uploads/${secret}/${filename}`)
})

test.each([
  `/uploads/${secret}/`,
  `/uploads/${secret}/..`,
  `/uploads/${secret}/%2e%2E`,
  `/uploads/${secret}/a/b.png`,
  `/uploads/${secret}/a%2Fb.png`,
  `/uploads/${secret}/a%5Cb.png`,
  `/uploads/${secret}/a\\b.png`,
  `/uploads/${secret}/%`,
  `/uploads/${secret.toUpperCase()}/a.png`,
  `/uploads/${secret}0/a.png`,
  `uploads/${secret}/a.png`,
  `//uploads/${secret}/a.png`,
  `https://example.com/uploads/${secret}/a.png`,
  '/uploads/-/system/projects/topic/avatar/1/a.png',
])('%s is not an upload', (target) => {
  expect(inProject(target)).toBeUndefined()
})

test('the filename of an address is the last part of its path', () => {
  expect(filenameIn('https://example.com/a/b%20c.mp4?x=/y.png#/z.mp3')).toBe('b c.mp4')
  expect(filenameIn('a%.mp4')).toBe('a%.mp4')
})
