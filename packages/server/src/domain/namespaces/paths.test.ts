import { expect, test } from 'vitest'
import { userProblems } from '../users/user-draft.ts'
import { groupProblems, pathFromName, projectProblems } from './paths.ts'

test.each([
  ['Charts', 'Charts'],
  ['harbour.charts_2', 'harbour.charts_2'],
  ['Harbour charts', 'harbour-charts'],
  ['Über die Maße', 'uber-die-masse'],
  ['C++ & Co.', 'c-co'],
  ['x.git', 'x-git'],
  ['日本', ''],
])('the path of a project named %s is %s', (name, path) => {
  expect(pathFromName(name)).toBe(path)
})

test.each(['Charts', '_x', '🚀 launch', 'a.b+c – d', 'Zürich 2', '日本'])('the project name %s is valid', (name) => {
  expect(projectProblems({ name })).toEqual({})
})

test.each(['(x)', '-x', ' x', 'a/b', 'a<b', 'a\nb'])('the project name %j is invalid', (name) => {
  expect(projectProblems({ name })).toHaveProperty('name')
})

test.each(['a', '_a', '.a', 'a-b.c', 'A_b'])('%s is a valid path for projects and groups', (path) => {
  expect([projectProblems({ path }), groupProblems({ path }, true)]).toEqual([{}, {}])
})

test.each(['', '-a', 'a b', 'a/b', 'ä', 'a.git', 'a.GIT', 'a.atom', 'a\n'])(
  '%j is an invalid path for projects and groups',
  (path) => {
    expect(projectProblems({ path })).toHaveProperty('path')
    expect(groupProblems({ path }, true)).toHaveProperty('path')
  },
)

test('names used by routes are reserved at the top level or below', () => {
  const reserved = (path: string) => ({ path: [`${path} is a reserved name`] })
  expect(groupProblems({ path: 'API' }, true)).toEqual(reserved('API'))
  expect(groupProblems({ path: 'api' }, false)).toEqual({})
  expect(groupProblems({ path: 'tree' }, false)).toEqual(reserved('tree'))
  expect(projectProblems({ path: 'blob' })).toEqual(reserved('blob'))
})

test.each(['explore', 'Groups', 'api', 'uploads', 'admin', 'assets', 'users', 'projects'])(
  '%s is reserved at the top level for pages and the API',
  (name) => {
    const reserved = [`${name} is a reserved name`]
    expect(groupProblems({ path: name }, true)).toEqual({ path: reserved })
    expect(userProblems({ username: name })).toEqual({ username: reserved })
    expect(groupProblems({ path: name }, false)).toEqual({})
  },
)

test('name, path and description have a maximum length', () => {
  expect(projectProblems({ name: 'n'.repeat(255), path: 'p'.repeat(255), description: 'd'.repeat(2000) })).toEqual({})
  expect(projectProblems({ name: 'n'.repeat(256), path: 'p'.repeat(256), description: 'd'.repeat(2001) })).toEqual({
    name: ['is too long (maximum is 255 characters)'],
    path: ['is too long (maximum is 255 characters)'],
    description: ['is too long (maximum is 2000 characters)'],
  })
})

test.each(['main', 'feature/x', 'v1.0'])('%s is a valid branch name', (defaultBranch) => {
  expect(projectProblems({ defaultBranch })).toEqual({})
})

test.each(['a b', 'a..b', '/a', 'a/', '-a', 'a.lock', '.a', 'a/.b', 'a~1', '@', 'a\u0000'])(
  '%j is an invalid branch name',
  (defaultBranch) => {
    expect(projectProblems({ defaultBranch })).toEqual({ default_branch: ['is not a valid branch name'] })
  },
)
