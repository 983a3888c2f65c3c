import { describe, expect, test } from 'vitest'
import { passwordProblems } from './password-policy.ts'

const weak = ['must not contain commonly used combinations of words and letters']

describe('a new password', () => {
  test.each(['correct horse battery', 'a long password', 'kT9!vRq2', 'ünïcödé wörd', 'tabletop-river-42'])(
    'accepts %s',
    (password) => expect(passwordProblems(password, { username: 'nadia' })).toEqual([]),
  )

  test.each([
    ...[
      'password',
      'Password',
      'PASSWORD1',
      '12345678',
      'qwertyuiop',
      'iloveyou1',
      'P@ssw0rd',
      'Passw0rd!',
      'dragon2024!',
    ],
    ...['aaaaaaaa', 'abababab', '12341234', '!!monkey!!', '1q2w3e4r5t'],
  ])('rejects %s as common', (password) => expect(passwordProblems(password)).toEqual(weak))

  const owner = { username: 'nadia.k', email: 'nadia@silverlake.test', name: 'Nadia Kovalenko' }
  test.each([
    'nadia.k1',
    'NadiaNadia',
    'kovalenko',
    'Kovalenko1!',
    'k0valenko99',
    'silverlake1',
    'alcove123',
    'nadia@silverlake.test',
  ])('rejects %s as containing the user’s name, domain or the program’s name', (password) =>
    expect(passwordProblems(password, owner)).toEqual(weak),
  )

  test('accepts such a name within a longer password', () => {
    expect(passwordProblems('the alcove of many moons', owner)).toEqual([])
  })

  test.each([
    ['', ["can't be blank"]],
    ['short', ['is too short (minimum is 8 characters)']],
    ['x'.repeat(129), ['is too long (maximum is 128 characters)']],
  ])('has a length limit: %j', (password, problems) => expect(passwordProblems(password)).toEqual(problems))

  test('of maximum length is checked without delay', () => {
    expect(passwordProblems('1'.repeat(64) + 'a'.repeat(64))).toEqual(weak)
  })
})
