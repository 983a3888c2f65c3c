import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Deps } from '../deps.ts'
import { hashPassword, isPassword } from './passwords.ts'

const deps = { random: randomBytes } as Pick<Deps, 'random'> as Deps

test('a password is kept as Argon2id with 19 MiB and two passes', async () => {
  expect(await hashPassword(deps, 'correct horse')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('the same password has another hash each time', async () => {
  expect(await hashPassword(deps, 'correct horse')).not.toBe(await hashPassword(deps, 'correct horse'))
})

test('only the password itself opens its hash', async () => {
  const passwordHash = await hashPassword(deps, 'correct horse')
  expect(await isPassword('correct horse', passwordHash)).toBe(true)
  expect(await isPassword('Correct horse', passwordHash)).toBe(false)
})

test('no password opens an account that has none', async () => {
  expect(await isPassword('', null)).toBe(false)
  expect(await isPassword('anything', undefined)).toBe(false)
})
