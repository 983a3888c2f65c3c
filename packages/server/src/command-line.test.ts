import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readCommand, usage } from './command-line.ts'

const read = (line: string) => readCommand(line.split(' ').filter(Boolean))

test.each([
  ['', { name: 'serve' }],
  ['serve', { name: 'serve' }],
  ['migrate', { name: 'migrate' }],
  ['--help', { name: 'help' }],
  ['help', { name: 'help' }],
  ['doctor', { name: 'doctor', contents: false, fix: false, acceptLoss: false }],
  ['doctor --fix --contents', { name: 'doctor', contents: true, fix: true, acceptLoss: false }],
  ['doctor --accept-loss', { name: 'doctor', contents: false, fix: false, acceptLoss: true }],
  ['doctor --help', { name: 'help' }],
  ['demo', { name: 'demo', folder: undefined }],
  ['demo samples', { name: 'demo', folder: 'samples' }],
  ['backup /backups', { name: 'backup', target: '/backups', keep: undefined, verify: false }],
  ['backup /backups --keep 7 --verify', { name: 'backup', target: '/backups', keep: 7, verify: true }],
  [
    'restore /backups',
    { name: 'restore', source: '/backups', backup: undefined, force: false, verify: false, list: false },
  ],
  [
    'restore /backups --backup a --force --verify --list',
    { name: 'restore', source: '/backups', backup: 'a', force: true, verify: true, list: true },
  ],
  ['transfer --to postgres://h/d', { name: 'transfer', to: 'postgres://h/d' }],
  ['admin sign-in-link root', { name: 'admin sign-in-link', user: 'root' }],
  ['feeds load a.csv.gz', { name: 'feeds load', files: ['a.csv.gz'], isForced: false }],
  ['feeds load --force a b', { name: 'feeds load', files: ['a', 'b'], isForced: true }],
  ['objects copy --from disk --to s3', { name: 'objects copy', from: 'disk', to: 's3' }],
  ['objects copy --to disk --from s3', { name: 'objects copy', from: 's3', to: 'disk' }],
  ['objects copy --from=s3 --to=disk', { name: 'objects copy', from: 's3', to: 'disk' }],
  ['admin disable-two-factor root', { name: 'admin', action: 'disable-two-factor', user: 'root' }],
])('"%s" is read as a command', (line, expected) => {
  expect(read(line)).toEqual(expected)
})

test('the installed program knows every command of the server', () => {
  const program = readFileSync(new URL('../../../bin/alcove.js', import.meta.url), 'utf8')
  const [, list = ''] = /const serverCommands = \[([^\]]*)\]/.exec(program) ?? []
  const known = [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name)
  const offered = [...new Set([...usage.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name))]
  expect(known).toEqual(offered)
  for (const name of known) expect(program).toMatch(new RegExp(`^ {2}${name} `, 'm'))
})

describe('rejects the command line', () => {
  test.each([
    'serve now',
    'admin',
    'admin disable-two-factor',
    'admin disable-two-factor root nadia',
    'admin rename root',
    'migrate --fix',
    'doctor now',
    'doctor --force',
    'doctor --fix=yes',
    'demo one two',
    'demo --fast',
    'backup',
    'backup one two',
    'backup --fast',
    'backup one --keep 0',
    'backup one --keep all',
    'restore',
    'restore one two',
    'feeds',
    'feeds load',
    'feeds list a',
    'transfer',
    'transfer x',
    'transfer --to a b',
    'objects',
    'objects move --from disk --to s3',
    'objects copy',
    'objects copy --from disk',
    'objects copy disk s3',
    'objects copy --from disk --to disk',
    'objects copy --from disk --to tape',
    'objects copy --from disk --from s3',
    'objects copy --from disk --to s3 --fast',
    'objects copy --from disk --to s3 now',
  ])('%s', (line) => {
    expect(() => read(line)).toThrow(`${line} is not understood.`)
  })

  test.each(['swerve', '--fix', 'constructor'])('%s, an unknown command', (line) => {
    expect(() => read(line)).toThrow(`there is no command ${line}.`)
  })
})
