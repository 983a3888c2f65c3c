import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Deps } from '../../deps.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

const settings = { hasPasswords: true } as Deps['settings'] // the only one that hashing reads
const deps = { random: randomBytes, settings } as Pick<Deps, 'random' | 'settings'> as Deps
const hashed = (password: string) => hashPassword(deps, password, 'test')
const verified = (password: string, passwordHash: string | null | undefined) =>
  verifyPassword(password, 'test', () => Promise.resolve(passwordHash))

test('a password is hashed as Argon2id with 19 MiB and two passes', async () => {
  expect(await hashed('correct horse')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('the same password has a different hash each time', async () => {
  expect(await hashed('correct horse')).not.toBe(await hashed('correct horse'))
})

test('only the password itself matches its hash', async () => {
  const passwordHash = await hashed('correct horse')
  expect(await verified('correct horse', passwordHash)).toBe(true)
  expect(await verified('Correct horse', passwordHash)).toBe(false)
})

test('no password matches an account without one', async () => {
  expect(await verified('', null)).toBe(false)
  expect(await verified('anything', undefined)).toBe(false)
})

test('one client cannot fill the hashing queue', async () => {
  const attempts = Array.from({ length: 20 }, () => verifyPassword('guess', 'flood', () => Promise.resolve(null)))
  const stranger = verifyPassword('guess', 'stranger', () => Promise.resolve(null))
  const refused = (await Promise.allSettled(attempts)).filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(10)
  expect(await stranger).toBe(false)
})
