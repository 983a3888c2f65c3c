import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../testing/command-run.ts'
import { findFiles } from './files.ts'

const names = ['a.json', 'b.json', 'b.sarif', '.hidden.json', 'x[1].json']

async function sampleFolder() {
  const place = await folder(Object.fromEntries(names.map((name) => [name, '{}'])))
  for (const path of ['reports/deep', 'node_modules/x', '.git', 'out.json'])
    await mkdir(join(place, path), { recursive: true })
  for (const path of [
    'reports/c.json',
    'reports/deep/d.json',
    'reports/deep/e.sarif',
    'node_modules/x/f.json',
    '.git/g.json',
  ]) {
    await writeFile(join(place, path), '{}')
  }
  await symlink(join(place, 'a.json'), join(place, 'reports/link.json'))
  return place
}

test.each([
  [['a.json'], ['a.json']],
  [['*.json'], ['a.json', 'b.json', 'x[1].json']],
  [['b.*'], ['b.json', 'b.sarif']],
  [['?.json'], ['a.json', 'b.json']],
  [['[!a].json'], ['b.json']],
  [['x[1].json'], ['x[1].json']],
  [['reports/*.json'], ['reports/c.json', 'reports/link.json']],
  [['./reports/*/d.json'], ['reports/deep/d.json']],
  [['**/*.sarif'], ['b.sarif', 'reports/deep/e.sarif']],
  [['**/d.json'], ['reports/deep/d.json']],
  [['reports/**'], ['reports/c.json', 'reports/deep/d.json', 'reports/deep/e.sarif', 'reports/link.json']],
  [['{a,b}.{json,sarif}'], ['a.json', 'b.json', 'b.sarif']],
  [['.h*.json'], ['.hidden.json']],
  [
    ['b.json', '*.json', './b.json'],
    ['b.json', 'a.json', 'x[1].json'],
  ],
])('the patterns %j select %j', async (patterns, files) => {
  expect(await findFiles(await sampleFolder(), patterns)).toEqual(files)
})

test('absolute patterns select absolute paths', async () => {
  const place = await sampleFolder()
  expect(await findFiles('/', [join(place, 'r*/c.json')])).toEqual([join(place, 'reports/c.json')])
})

test.each([
  ['absent.json', 'No file matches "absent.json"'],
  ['*.xml', 'No file matches "*.xml"'],
  ['reports', "reports is a folder. Name its files, such as 'reports/*.json'."],
  ['{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}', 'too many alternatives'],
])('the pattern %s is rejected', async (pattern, message) => {
  await expect(findFiles(await sampleFolder(), [pattern])).rejects.toThrow(message)
})
