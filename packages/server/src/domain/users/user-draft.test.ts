import { expect, test } from 'vitest'
import { userProblems } from './user-draft.ts'

const pathRule =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."

test.each(['nadia', 'Nadia.K', '_n', '.n', 'n-', '42', 'n'.repeat(255)])('accepts the username %s', (username) => {
  expect(userProblems({ username })).toEqual({})
})

test.each([
  ['-nadia', pathRule],
  ['na dia', pathRule],
  ['nadia/site', pathRule],
  ['nädia', pathRule],
  ['nadia.', pathRule],
  ['..', pathRule],
  ['nadia.git', pathRule],
  ['nadia.ATOM', pathRule],
  ['nadia\n', pathRule],
  ['', "can't be blank"],
  ['  ', "can't be blank"],
  ['n'.repeat(256), 'is too long (maximum is 255 characters)'],
  ['api', 'api is a reserved name'],
  ['Uploads', 'Uploads is a reserved name'],
])('rejects the username %j', (username, problem) => {
  expect(userProblems({ username })).toEqual({ username: [problem] })
})

test.each(['a@b', 'nadia+alcove@example.test', 'ñ@example.test'])('accepts the email %s', (email) => {
  expect(userProblems({ email })).toEqual({})
})

test.each([
  ['nadia', 'is invalid'],
  ['na dia@example.test', 'is invalid'],
  ['a@b@c', 'is invalid'],
  ['a@b\n', 'is invalid'],
  ['', "can't be blank"],
])('rejects the email %j', (email, problem) => {
  expect(userProblems({ email })).toEqual({ email: [problem] })
})

test.each([
  ['1234567', 'is too short (minimum is 8 characters)'],
  ['x'.repeat(129), 'is too long (maximum is 128 characters)'],
  ['', "can't be blank"],
])('rejects the password %j', (password, problem) => {
  expect(userProblems({ password })).toEqual({ password: [problem] })
})

test('reports all problems at once', () => {
  const problems = userProblems({ email: 'x', username: '-', name: ' ', password: 'short', projectsLimit: -1 })
  expect(Object.keys(problems)).toEqual(['email', 'username', 'name', 'password', 'projects_limit'])
})
